export const prompt = `Returns your final answer to the caller, as data that matches the schema of this tool.

- Call it once, when the work is done. The caller reads nothing else: text alone is not an answer.
- If the data do not match, the error says what is wrong: correct it and call again.`
