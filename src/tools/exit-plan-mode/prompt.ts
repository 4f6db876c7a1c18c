export const prompt = `Shows the user the plan that you made in plan mode, and leaves plan mode if they approve it.

- Call it when the plan is complete. Do not ask for approval in any other way: this call does that.
- Use it only for plans to change something; if the task was to find something out, simply answer.
- plan is Markdown: what will be changed, where and how, and how it will be verified.
- allowedPrompts lists commands that the plan needs, each exactly as you will run it ("npm test"). The user may allow them together with the plan; all other commands are asked about as usual.
- If the user declines, plan mode stays on: revise the plan and call again.
- If there is no user to approve it, the call fails: then give the plan as your answer.`
