export const prompt = `Asks the user up to four multiple-choice questions and waits for the answers.

- Use it if the work depends on what the user wants and the project does not answer it: a preference, a choice between designs, an unclear request.
- Do not use it to ask for permission to run a tool: that is done automatically.
- Put the answer you recommend first and add "(recommended)" to its label.
- "Other" is always offered in addition to your options: do not add it.
- With multiSelect the user may choose several answers.
- If there is no user to answer, the call fails at once: then decide yourself and say what you assumed.`
