export const prompt = `Runs a command in bash and returns its output: builds, tests, git, package managers, programs. For files, prefer Read, Grep, Glob, Edit and Write.

- The working directory persists between calls; variables do not. It is reset to the project if a command ends outside the working directories.
- Join dependent commands with &&; send independent ones as separate calls in one message.
- stdin is closed; pagers, editors and prompts do not work. Pass the answers as options (--yes, -m, --no-edit).
- A command that is still running at its timeout continues in the background if possible.
- run_in_background is for servers and long builds. Do not use & or sleep: TaskOutput waits for the end.
- Long output is stored in a file, and you get its start and end: do not cut it with head or tail.
- In a sandbox, commands write only to the working directories and reach only permitted hosts. If it blocks something the task needs, say so and repeat the call with dangerouslyDisableSandbox; the user is asked. Never set it in advance.`
