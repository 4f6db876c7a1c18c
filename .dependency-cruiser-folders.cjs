const { options } = require('./.dependency-cruiser.cjs')

/**
 * No cycles between folders: if files in `a` import files in `b`, none in `b` imports from `a`, neither directly nor
 * through other folders. A folder and its own subfolders may import each other. This is a configuration of its own,
 * because it must not see the tests: they may import anything.
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
  forbidden: [
    {
      name: 'no-folder-cycles',
      severity: 'error',
      comment: 'move the file that both folders need into one of them, or into a third',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: '\\.test(-d)?\\.ts$' } },
}
