export const prompt = `Reads a resource of an MCP server.

- server and uri are as ListMcpResources gives them.
- Pictures and PDF documents are shown; of other binary content you get its type and size.`
