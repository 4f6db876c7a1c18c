export const prompt = `Removes earlier steps from this conversation, to make room in the context window. A step is one of your answers together with the results of its calls. The user's prompts always stay.

- Call CtxInspect first: it lists the steps with their ids and sizes.
- Remove what you will not need again, such as long results of searches that led nowhere. Write down what matters before.
- Prefer the latest of several equally large steps: everything after a removed step must be read again by the provider, which costs time and money.
- \`restore\` puts the steps of an earlier removal back. After a summary of the conversation this is no longer possible.`
