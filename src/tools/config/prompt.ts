import { CHANGEABLE_SETTINGS } from '../../contract/ports/settings.js'

export const prompt = `Reads a setting of Haft, or changes one for the user.

- Without a value: returns the value that applies, and the file or option that it comes from. Any setting can be read. Of sections that can contain keys or commands, such as providers, only the names are returned.
- With a value: asks the user, then saves it in the user's settings file. null restores the default. Change a setting only if the user wants it.
- Settings that can be changed: ${CHANGEABLE_SETTINGS.map(({ name }) => name).join(', ')}. Only the user can change all others, such as permissions, hooks and servers; tell them which file to edit.`
