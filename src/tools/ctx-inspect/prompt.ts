export const prompt = `Shows what fills your context window: the tokens of the system prompt, of tools, prompts, answers, calls and results, and the largest steps of this conversation with their ids, by which they can be removed.

Use it when the window becomes full, or before you decide what to remove.`
