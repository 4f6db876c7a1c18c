export const prompt = `Changes one cell of a Jupyter notebook (.ipynb). Read the notebook first: Read shows the id of every cell.

- edit_mode "replace" (default) sets the source of the cell cell_id to new_source, and its type to cell_type if given.
- edit_mode "insert" adds a new cell after the cell cell_id, or at the start if cell_id is left out; it needs cell_type.
- edit_mode "delete" removes the cell cell_id; new_source is ignored, pass "".
- new_source is the complete source of the cell, not a part of it.
- The outputs of a changed code cell are cleared, because they are outdated. Nothing else in the file changes.`
