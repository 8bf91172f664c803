"""Methods that use a trained network, alone and with lookahead. No training: that is in `train`."""
