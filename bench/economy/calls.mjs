/**
 * Short forms for the calls of a played model. Paths are relative to the repository; the player makes them absolute, as models
 * send them.
 *
 * @typedef {{ name: string, input: Record<string, unknown> | ((results: string) => Record<string, unknown>) }} PlayedCall
 * @typedef {object} EconomyTask
 * @property {string} package The package of node_modules whose files are the repository.
 * @property {string} prompt
 * @property {readonly (readonly PlayedCall[])[]} turns
 * @property {readonly { opening: string, turns: readonly (readonly PlayedCall[])[] }[]} [agents]
 * @property {readonly string[]} [permissions] Options of the command; everything is allowed if left out.
 * @property {string} answer
 */

/** Stands for the folder of the repository in inputs. */
export const REPOSITORY = '{repository}'

/** @param {string} path */
const at = (path) => `${REPOSITORY}/${path}`

/** @param {string} path @param {{ offset?: number, limit?: number }} [range] */
export const read = (path, range = {}) => ({ name: 'Read', input: { file_path: at(path), ...range } })

/** @param {string} path @param {string} oldString @param {string} newString @param {object} [options] */
export const edit = (path, oldString, newString, options = {}) => ({
  name: 'Edit',
  input: { file_path: at(path), old_string: oldString, new_string: newString, ...options },
})

/** @param {string} path @param {readonly (readonly [string, string])[]} edits */
export const multiEdit = (path, edits) => ({
  name: 'MultiEdit',
  input: {
    file_path: at(path),
    edits: edits.map(([oldString, newString]) => ({ old_string: oldString, new_string: newString })),
  },
})

/** @param {string} path @param {string} content */
export const write = (path, content) => ({ name: 'Write', input: { file_path: at(path), content } })

/** @param {string} pattern @param {{ path?: string, [option: string]: unknown }} [options] */
export const grep = (pattern, { path, ...options } = {}) => ({
  name: 'Grep',
  input: { pattern, ...(path !== undefined && { path: at(path) }), ...options },
})

/** @param {string} pattern */
export const glob = (pattern) => ({ name: 'Glob', input: { pattern } })

/** @param {string} command @param {object} [options] */
export const bash = (command, options = {}) => ({ name: 'Bash', input: { command, ...options } })

/** @param {string} subject @param {string} description */
export const createTask = (subject, description) => ({ name: 'TaskCreate', input: { subject, description } })

/** @param {string} taskId @param {string} status */
export const updateTask = (taskId, status) => ({ name: 'TaskUpdate', input: { taskId, status } })
