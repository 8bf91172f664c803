"""Plans as files for GIS and spreadsheets. Pictures and pages are in `report`."""
