export const prompt = `Finds deferred tools and loads their definitions, so that you can call them.

A deferred tool is known to you by its name alone, from <available-deferred-tools> or a later <system-reminder>, or stands behind one of the servers named there. Until it is loaded you do not know its parameters: load it first, then call it. What was loaded once stays loaded.

Forms of the query:
- "select:Read,mcp__github__create_issue": exactly these tools, by name
- "notebook jupyter": the tools that fit best
- "+slack send": only tools with "slack" in the name, the best for "send" first

The answer holds each tool found as a line of a <functions> block, or as a reference that loads it; from then on the tool can be called like any other. Ask for all you need in one query. Where nothing fits, the answer says so: try other words, or do without.`
