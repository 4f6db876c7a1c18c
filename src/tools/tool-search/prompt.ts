export const prompt = `Loads deferred tools, of which you know only the name (from <available-deferred-tools> or a later <system-reminder>) or the server, so that you can call them. A loaded tool stays loaded.

Forms of the query:
- "select:Read,mcp__github__create_issue": exactly these tools, by name
- "notebook jupyter": the best matches
- "+slack send": only tools with "slack" in the name, the best matches for "send" first

Ask for everything you need in one query. If nothing matches, try other words or work without it.`
