export const prompt = `Waits, without using a shell.

- Use it when there is nothing to do until some time has passed: a build elsewhere, a rate limit, a service that is starting.
- The user may interrupt it at any time; the result says how long it really waited.
- Prefer a few longer waits to many short ones: each wake-up is a request of its own.
- To wait for background work, use TaskOutput: it returns as soon as the work ends.`
