export const prompt = `Makes several edits to one file at once: all of them, or none if one has no place.

- The same rules as for Edit: read the file first; each old_string must stand in the file once, unless its replace_all is true; no placeholders in place of code.
- The edits are made in order, each in what the one before left. See to it that an earlier edit does not change what a later one looks for.
- An empty old_string in the first edit creates a file that does not exist yet.`
