"""What Python and the command line share: options, and the steps from them to results."""
