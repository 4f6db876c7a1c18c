export const prompt = `Lists the resources of MCP servers, such as files, records and pages, with their URIs.

- server is the name of one server; if left out, all servers with resources are listed.
- A URI with braces, such as note://{id}, is a template: fill in the braces before you read it.
- Read a resource with ReadMcpResource.`
