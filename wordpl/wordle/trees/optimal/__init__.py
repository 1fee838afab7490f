"""The optimal tree, exactly: branch and bound over decision trees. `solve_tree` is the way in."""
