import type { DBOSSerializer } from '@dbos-inc/dbos-sdk'

const TEXT = 'T'
const JSON_VALUE = 'J'

/**
 * How DBOS stores the values of workflows and steps. Lines of a transcript are JSON already, so text is stored as it is: quoting it again would
 * make it a fifth longer.
 */
export const fleetSerializer: DBOSSerializer = {
  name: () => 'haft',
  stringify: (value: unknown) =>
    typeof value === 'string' ? TEXT + value : JSON_VALUE + JSON.stringify(value ?? null),
  parse: (text: string | null | undefined): unknown => {
    if (text === null || text === undefined) return null
    return text.startsWith(TEXT) ? text.slice(1) : JSON.parse(text.slice(1))
  },
}
