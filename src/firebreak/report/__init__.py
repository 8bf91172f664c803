"""What people look at: figures, animation, reports. Import from the modules."""
