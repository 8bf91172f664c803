"""What the codes of fuel models stand for, in words.

Sources: Anderson (1982), INT-GTR-122, doi:10.2737/INT-GTR-122; Scott & Burgan (2005),
RMRS-GTR-153, doi:10.2737/RMRS-GTR-153; Forestry Canada (1992), ST-X-3.
"""

from types import MappingProxyType

TITLES = MappingProxyType({
    1: "short grass", 2: "timber, grass and understory", 3: "tall grass", 4: "chaparral",
    5: "brush", 6: "dormant brush, hardwood slash", 7: "southern rough",
    8: "closed timber litter", 9: "hardwood litter", 10: "timber, litter and understory",
    11: "light logging slash", 12: "medium logging slash", 13: "heavy logging slash",
    101: "short, sparse dry climate grass", 102: "low load, dry climate grass",
    103: "low load, very coarse, humid climate grass", 104: "moderate load, dry climate grass",
    105: "low load, humid climate grass", 106: "moderate load, humid climate grass",
    107: "high load, dry climate grass", 108: "high load, very coarse, humid climate grass",
    109: "very high load, humid climate grass",
    121: "low load, dry climate grass-shrub", 122: "moderate load, dry climate grass-shrub",
    123: "moderate load, humid climate grass-shrub", 124: "high load, humid climate grass-shrub",
    141: "low load, dry climate shrub", 142: "moderate load, dry climate shrub",
    143: "moderate load, humid climate shrub", 144: "low load, humid climate timber-shrub",
    145: "high load, dry climate shrub", 146: "low load, humid climate shrub",
    147: "very high load, dry climate shrub", 148: "high load, humid climate shrub",
    149: "very high load, humid climate shrub",
    161: "low load, dry climate timber-grass-shrub",
    162: "moderate load, humid climate timber-shrub",
    163: "moderate load, humid climate timber-grass-shrub", 164: "dwarf conifer with understory",
    165: "very high load, dry climate timber-shrub",
    181: "low load, compact conifer litter", 182: "low load broadleaf litter",
    183: "moderate load conifer litter", 184: "small downed logs", 185: "high load conifer litter",
    186: "moderate load broadleaf litter", 187: "large downed logs", 188: "long-needle litter",
    189: "very high load broadleaf litter",
    201: "low load activity fuel", 202: "moderate load activity fuel or low load blowdown",
    203: "high load activity fuel or moderate load blowdown", 204: "high load blowdown"})
"""Of the models of Anderson and of Scott & Burgan, by code."""

FBP_TITLES = MappingProxyType({
    1: "spruce-lichen woodland", 2: "boreal spruce", 3: "mature jack or lodgepole pine",
    4: "immature jack or lodgepole pine", 5: "red and white pine", 6: "conifer plantation",
    7: "ponderosa pine, Douglas fir", 11: "leafless aspen", 21: "jack or lodgepole pine slash",
    22: "white spruce, balsam slash", 23: "coastal cedar, hemlock, Douglas fir slash",
    31: "matted grass", 32: "standing grass"})
"""Of the fuel types of the FBP System that have a code of one kind, by code."""
