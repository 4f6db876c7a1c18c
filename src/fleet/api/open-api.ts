import * as z from 'zod'
import { ROUTES, type Route } from './routes.js'

/** Describes the API in OpenAPI 3.1, from the table that also answers the requests. */
export function createOpenApi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of ROUTES) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: describeRoute(route) })
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Haft fleet', version },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}

function describeRoute({ path, summary, scope, bodySchema }: Route): Record<string, unknown> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const error = (description: string) => ({
    description,
    content: { 'application/json': { schema: { type: 'object', properties: { error: { type: 'string' } } } } },
  })
  return {
    summary,
    description: `Needs the scope ${scope}.`,
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    ...(bodySchema !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: z.toJSONSchema(bodySchema()) } } },
    }),
    responses: {
      '2XX': { description: 'Done' },
      '400': error('Invalid request'),
      '401': error('No valid token'),
      '403': error('The token does not allow this'),
      '404': error('Not found, or of another tenant'),
      '409': error('Not possible in the present state'),
    },
  }
}
