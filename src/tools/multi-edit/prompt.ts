export const prompt = `Applies several edits to one file: all of them, or none if one has no match.

- The rules of Edit apply: read the file first; each old_string must be unique in the file unless its replace_all is true; no placeholders instead of code.
- The edits are applied in order, each to the result of the one before. Make sure that an earlier edit does not change text that a later one searches for.
- An empty old_string in the first edit creates a new file.`
