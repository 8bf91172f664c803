"""Fire: scenes, and fires that burn on them. The land is in `landscape`, the weather in `weather`.

Code outside of `fire` imports from here and from nowhere further in. A scene is a landscape with
weather and breaks' rules; fires are drawn from it; `burn` burns them. `FireStore` keeps
fires burning while breaks come and go.
"""

from firebreak.fire.behavior.surface import point_behavior
from firebreak.fire.behavior.types import FireBehavior
from firebreak.fire.behavior.wind import backing_rate, flanking_rate
from firebreak.fire.burn_setup import workspace
from firebreak.fire.conditions import FireConditions, conditions_from
from firebreak.fire.effects.breaks import FLAME_FT, NEVER_FLAME_FT, HoldRule
from firebreak.fire.effects.keyed_random import fire_keys
from firebreak.fire.effects.losses import (
    BURNED,
    CLASS_NAMES,
    CLASSES,
    ResponseFunction,
    ValueLayer,
    annual_burn_probability,
    layer_grids,
    layer_kinds,
    read_layers,
)
from firebreak.fire.effects.spotting import SpottingModel
from firebreak.fire.engine import burn, burn_field, burn_plans, burn_tracks
from firebreak.fire.fbp.fuels import FUEL_NAMES, fuel_index
from firebreak.fire.fbp.system import FBP_RANGES, fbp_behavior
from firebreak.fire.fires import HEAVIEST, WHOLE, FireRegime, Fires, effective_number
from firebreak.fire.incremental.field_store import FieldStore
from firebreak.fire.incremental.fire_store import FireStore
from firebreak.fire.incremental.structs import (
    NOT_TRIED,
    Candidates,
    in_units,
)
from firebreak.fire.known_fires import KnownFires
from firebreak.fire.making import make_scene
from firebreak.fire.parts import PartsTotal, PartSums, burn_part, parts_of
from firebreak.fire.probing import with_proposal
from firebreak.fire.scene import RIM, Scene
from firebreak.fire.solver.structs import Overlays, Workspace
from firebreak.fire.sums import BurnResult
from firebreak.fire.travel.arcs import OPEN
from firebreak.fire.travel.breaks import break_state, open_state, treat, treated_for
from firebreak.fire.travel.kernels import write_breaks
from firebreak.fire.travel.stencil import (
    HELD,
    NEIGHBOURS,
    REACH,
    STENCIL,
    UNBURNED,
)
from firebreak.fire.travel.travel_field import (
    Ellipse,
    TravelField,
    ellipse_of,
    field_from_ellipse,
    pad,
    padded_cells,
    padded_width,
    unpad,
)
from firebreak.fire.variants import Perturbation, held_by, perturbed, treated_as, with_states

__all__ = [
    "BURNED",
    "CLASSES",
    "CLASS_NAMES",
    "FBP_RANGES",
    "FLAME_FT",
    "FUEL_NAMES",
    "HEAVIEST",
    "HELD",
    "NEIGHBOURS",
    "NEVER_FLAME_FT",
    "NOT_TRIED",
    "OPEN",
    "REACH",
    "RIM",
    "STENCIL",
    "UNBURNED",
    "WHOLE",
    "BurnResult",
    "Candidates",
    "Ellipse",
    "FieldStore",
    "FireBehavior",
    "FireConditions",
    "FireRegime",
    "FireStore",
    "Fires",
    "HoldRule",
    "KnownFires",
    "Overlays",
    "PartSums",
    "PartsTotal",
    "Perturbation",
    "ResponseFunction",
    "Scene",
    "SpottingModel",
    "TravelField",
    "ValueLayer",
    "Workspace",
    "annual_burn_probability",
    "backing_rate",
    "break_state",
    "burn",
    "burn_field",
    "burn_part",
    "burn_plans",
    "burn_tracks",
    "conditions_from",
    "effective_number",
    "ellipse_of",
    "fbp_behavior",
    "field_from_ellipse",
    "fire_keys",
    "flanking_rate",
    "fuel_index",
    "held_by",
    "in_units",
    "layer_grids",
    "layer_kinds",
    "make_scene",
    "open_state",
    "pad",
    "padded_cells",
    "padded_width",
    "parts_of",
    "perturbed",
    "point_behavior",
    "read_layers",
    "treat",
    "treated_as",
    "treated_for",
    "unpad",
    "with_proposal",
    "with_states",
    "workspace",
    "write_breaks",
]
