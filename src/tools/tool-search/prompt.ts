export const prompt = `Finds deferred tools and loads their definitions, so that you can call them.

You know only the name of a deferred tool, from <available-deferred-tools> or a later <system-reminder>, or only the server that provides it. You do not know its parameters until it is loaded: load it first, then call it. A loaded tool stays loaded.

Forms of the query:
- "select:Read,mcp__github__create_issue": exactly these tools, by name
- "notebook jupyter": the best matches
- "+slack send": only tools with "slack" in the name, the best matches for "send" first

The result contains each tool found as a line of a <functions> block, or as a reference that loads it. A loaded tool can be called like any other tool. Ask for everything you need in one query. If nothing matches, try other words or work without it.`
