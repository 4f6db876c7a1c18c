export const prompt = `Adds a task to the task board of this project. The user sees the board, and all agents of the project share it.

Use it for work with three or more steps, for a request with several parts, and when new steps come up. Do not use it for a single step or a plain question.

- subject: the task in the imperative, in a few words ("Run the tests").
- description: everything that another agent would need to do it, with what counts as done.
- activeForm: the ongoing action, shown while the task is in progress ("Running the tests").

New tasks are pending and have no owner. Use TaskUpdate to start, complete or connect them, and TaskList to see what exists before you add more.`
