"""What can be said of the motions near a state without following them."""
