import time, numpy as np, sys
from firebreak.cli.bench_fires import against_scipy
for s in (20,40,100):
    print(s, [round(x.value,3) for x in against_scipy("front",s,0,5)], end=" ")
print()
