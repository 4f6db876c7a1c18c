export const prompt = `Maintains the todo list of this conversation and shows the user the progress.

Use it for work with three or more steps, for a request with several parts, and when new steps come up. Do not use it for a single step or a plain question.

- Every call sends the whole list and replaces the previous one.
- Keep exactly one item in_progress while you work, and set it before you start.
- Mark an item completed as soon as it is fully done; if tests fail or a step is missing it stays in_progress.
- Give each item in two forms: content is the task ("Run the tests"), activeForm is the ongoing action ("Running the tests").
- Remove items that are no longer relevant.`
