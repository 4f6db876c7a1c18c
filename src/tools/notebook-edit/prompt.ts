export const prompt = `Changes one cell of a Jupyter notebook (.ipynb). Read the notebook first: Read shows the id of every cell.

- edit_mode "replace" (unless given) gives the cell cell_id the source new_source, and another cell_type if you name one.
- edit_mode "insert" puts a new cell after the cell cell_id, or at the start if you leave cell_id out; it needs cell_type.
- edit_mode "delete" takes the cell cell_id out; new_source is then of no use, give "".
- new_source is the whole source of the cell, not a part of it.
- The outputs of a code cell that is changed are cleared, as they no longer belong to it. Nothing else in the file changes.`
