export const prompt = `Enters plan mode, in which you only read until the user has approved a plan.

- Use it before work that changes much or can be done in several ways: a new feature, a change over many files, an unclear request.
- Leave it out for small changes, and where the user has said how to do it.
- The user is asked first, and the call fails where nobody can be: then go on without it.
- In plan mode look around, ask with AskUserQuestion what only the user can decide, and call ExitPlanMode with the plan.`
