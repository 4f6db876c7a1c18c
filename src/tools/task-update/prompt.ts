export const prompt = `Changes a task of the task board.

- Start a task with status "in_progress". This also makes you its owner, if it has none. Start only what you work on now.
- Set status "completed" as soon as the task is fully done; if tests fail or a step is missing, it stays in_progress.
- status "deleted" removes a task that is no longer relevant.
- owner claims a task for an agent by name. If two agents claim the same task, only the first one gets it. Set owner to "" to release a task.
- addBlockedBy lists tasks that must be completed before this one; addBlocks lists tasks that must wait for this one. A task that waits cannot be started, and cycles are refused.`
