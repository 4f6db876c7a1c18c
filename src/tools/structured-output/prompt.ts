export const prompt = `Gives your final answer to the caller, as data that fits the schema of this tool.

- Call it once, when the work is done. The caller reads nothing else: text alone is no answer.
- Where the data do not fit, the error says what is wrong: correct it and call again.`
