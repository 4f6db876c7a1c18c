export const prompt = `Asks the user up to four questions with ready answers, and waits.

- Use it where the work depends on what the user wants and the answer cannot be found in the project: a preference, a choice between designs, an unclear request.
- Do not use it to ask for permission to run a tool: that happens by itself.
- Put the answer you would choose first and add "(recommended)" to its label.
- "Other" is always offered beside your options: do not add it.
- With multiSelect the user may choose several answers.
- Where nobody can be asked the call fails at once: then decide yourself and say what you assumed.`
