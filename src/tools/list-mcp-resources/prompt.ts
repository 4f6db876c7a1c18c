export const prompt = `Lists what MCP servers have to read: files, records, pages and the like, each with its address.

- server is the name of one server; left out, all servers that have resources are asked.
- An address with braces, such as note://{id}, is a pattern: fill in the braces before you read it.
- Read one with ReadMcpResource.`
