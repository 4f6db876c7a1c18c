export const prompt = `Waits without using a shell.

- Use it when there is nothing to do until some time has passed: a remote build, a rate limit, a service that is starting.
- The user may interrupt it at any time; the result says how long it actually waited.
- Prefer a few long waits to many short ones: each wake-up costs a request.
- To wait for a background task, use TaskOutput: it returns as soon as the task ends.`
