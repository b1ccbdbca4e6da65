"""Models of constraint (WangGao): when rows of virtual displacements are complete, what they hide, what is free."""
