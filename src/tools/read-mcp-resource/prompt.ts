export const prompt = `Reads a resource of an MCP server.

- server and uri are as listed by ListMcpResources.
- Images and PDF documents are shown; for other binary content you get its type and size.`
