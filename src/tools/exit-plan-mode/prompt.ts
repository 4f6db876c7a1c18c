export const prompt = `Shows the user the plan that you made in plan mode, and leaves plan mode if they approve it.

- Call it when the plan is complete. Do not ask in any other way whether the plan is fine: this call does.
- Use it only for plans to change something; where the task was to find out, simply answer.
- plan is Markdown: what will be changed, where and how, and how it will be checked.
- allowedPrompts names commands that the plan needs, each exactly as you will run it ("npm test"). The user may allow them together with the plan; any other command is asked about as always.
- If the user declines, plan mode stays on: change the plan by what they said and call again.
- Where nobody can approve, the call fails: then give the plan as your answer.`
