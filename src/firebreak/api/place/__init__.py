"""Where a plan may go, what it must have, what it may cost and by when: options and their reading.
Fires and weather are named in `api.shared.scene_options`."""
