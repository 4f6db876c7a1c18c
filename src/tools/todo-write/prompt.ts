export const prompt = `Keeps a list of what is to be done in this conversation, and shows the user how far the work has come.

Use it for work of three or more steps, for a request that names several things, and when new steps turn up on the way. Leave it out for a single step or a plain question.

- Every call sends the whole list; it replaces the one before.
- Have exactly one item in_progress while you work, and set it before you begin.
- Mark an item completed as soon as it is done, and only if it is wholly done: tests that fail or a step left out keep it in_progress.
- Give each item in two forms: content says what to do ("Run the tests"), activeForm what is being done ("Running the tests").
- Drop items that no longer matter.`
