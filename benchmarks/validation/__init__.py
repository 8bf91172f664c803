"""The registry of cases by which firebreak's fire model is judged, and the page that it makes.

    python -m benchmarks.validation [--data FOLDER] [--reference FOLDER] [--out docs]

`registry` says what a case is, `cases` has one module for each kind of judge, `page` what the pages
of docs/ show; docs/validation.json holds the results of the last run. A tolerance is committed
before the case is run and is not loosened afterwards: a case outside its tolerance is a fail.
"""
