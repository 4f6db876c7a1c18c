export const prompt = `Enters plan mode, in which you only read until the user has approved a plan.

- Use it before large changes or work that can be done in several ways: a new feature, a change across many files, an unclear request.
- Do not use it for small changes, or if the user has said how to do it.
- The user is asked first. The call fails if there is no user to answer: then continue without it.
- In plan mode explore, ask with AskUserQuestion what only the user can decide, and call ExitPlanMode with the plan.`
