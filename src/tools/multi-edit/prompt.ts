export const prompt = `Applies several edits to one file: all of them, or none if one has no match. Each applies to the result of the one before, and the rules of Edit hold for each.`
