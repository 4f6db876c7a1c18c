/** The text of a new settings file. The schema lets editors complete and check it. */
export const NEW_SETTINGS = `{
  "$schema": "https://unpkg.com/haft/schemas/settings.schema.json",
  "permissions": {
    "allow": [],
    "deny": []
  }
}
`
