/** Loaded at the first call of one of its functions, because it takes longest: 5 ms. */
const LAZY_MODULE = 'node:crypto'
/** The modules for which Node does much more at an import statement than at a call of `process.getBuiltinModule`. */
const REPLACED_MODULES = [LAZY_MODULE, 'node:buffer', 'node:fs', 'node:util']

/**
 * Replaces import statements of Node's modules in the library: for an import statement, Node reads every export, and
 * getters such as `webcrypto` load further modules. All this took 10 of the 60 ms of CPU that `haft` adds to an import of zod.
 * @returns {import('esbuild').Plugin}
 */
export function createNodeBuiltinsPlugin() {
  return {
    name: 'node-builtins',
    setup(build) {
      const filter = new RegExp(`^(?:${REPLACED_MODULES.join('|')})$`)
      build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'node-builtins', sideEffects: false }))
      build.onLoad({ filter, namespace: 'node-builtins' }, ({ path }) => ({ contents: writeModule(path) }))
    },
  }
}

/** @param {string} name */
function writeModule(name) {
  const builtin = `process.getBuiltinModule('${name}')`
  const members = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) ?? {}))
  const isFunction = (/** @type {PropertyDescriptor} */ { value }) => typeof value === 'function'
  const lines = members.flatMap(([member, descriptor]) => {
    if (name === LAZY_MODULE)
      return isFunction(descriptor) ? [`export const ${member} = (...args) => builtin().${member}(...args)`] : []
    // A getter may load further modules, and code that is not used is removed only if it is marked as pure.
    return 'value' in descriptor ? [`export const ${member} = /* @__PURE__ */ (() => builtin().${member})()`] : []
  })
  return [`const builtin = () => ${builtin}`, ...lines].join('\n')
}
