import { bash, createTask, edit, glob, grep, multiEdit, read, updateTask, write } from '../calls.mjs'

/** A new function in a library of many small files: list of steps, exports, command line, documentation, checks. */
export default {
  package: 'semver',
  prompt:
    'Add a function latestStable(versions, range) that returns the highest version without a prerelease that satisfies the range (default *). Export it, give it a command-line option --stable, document it and check it.',
  turns: [
    [
      createTask('Write ranges/latest-stable.js', 'Like max-satisfying, without prereleases'),
      createTask('Export it and add --stable', 'index.js, preload.js, bin/semver.js'),
      createTask('Document and check it', 'README.md and a check script'),
    ],
    [glob('**/*.js'), read('index.js')],
    [updateTask('1', 'in_progress'), read('ranges/max-satisfying.js'), read('functions/prerelease.js')],
    [grep('max-satisfying|maxSatisfying', { output_mode: 'content' })],
    [read('classes/range.js', { limit: 120 })],
    [
      write(
        'ranges/latest-stable.js',
        "'use strict'\n\nconst maxSatisfying = require('./max-satisfying')\nconst prerelease = require('../functions/prerelease')\n\nconst latestStable = (versions, range = '*', options = {}) =>\n  maxSatisfying(versions.filter((version) => prerelease(version, options) === null), range, options)\n\nmodule.exports = latestStable\n",
      ),
    ],
    [updateTask('1', 'completed'), updateTask('2', 'in_progress')],
    [
      multiEdit('index.js', [
        [
          "const minSatisfying = require('./ranges/min-satisfying')",
          "const minSatisfying = require('./ranges/min-satisfying')\nconst latestStable = require('./ranges/latest-stable')",
        ],
        ['  minSatisfying,\n', '  minSatisfying,\n  latestStable,\n'],
      ]),
    ],
    [bash("node -e \"console.log(require('.').latestStable(['1.0.0','2.0.0-rc.1','1.5.0']))\"")],
    [grep('Satisfying', { path: 'index.js', output_mode: 'content' })],
    [read('bin/semver.js')],
    [grep('includePrerelease', { path: 'bin/semver.js', output_mode: 'content' })],
    [
      edit(
        'bin/semver.js',
        "      case '-p': case '--include-prerelease':\n        includePrerelease = true\n        break",
        "      case '-p': case '--include-prerelease':\n        includePrerelease = true\n        break\n      case '--stable':\n        stable = true\n        break",
      ),
    ],
    [grep('^let |^const ', { path: 'bin/semver.js', output_mode: 'content' })],
    [edit('bin/semver.js', 'let reverse = false\n', 'let reverse = false\n\nlet stable = false\n')],
    [grep('versions = versions|filter\\(', { path: 'bin/semver.js', output_mode: 'content', '-C': 4 })],
    [bash('node bin/semver.js 1.0.0 2.0.0-rc.1 1.5.0 --stable; echo "exit $?"')],
    [
      edit(
        'bin/semver.js',
        '  if (!versions.length) {\n    return fail()\n  }',
        '  if (stable) {\n    versions = versions.filter((v) => semver.prerelease(v, options) === null)\n  }\n  if (!versions.length) {\n    return fail()\n  }',
      ),
    ],
    [read('bin/semver.js', { offset: 85, limit: 60 })],
    [bash('node bin/semver.js 1.0.0 2.0.0-rc.1 1.5.0 --stable; echo "exit $?"')],
    [bash('node bin/semver.js --help')],
    [
      edit(
        'bin/semver.js',
        '-p --include-prerelease\n',
        '--stable\n        Leave out versions with a prerelease\n\n-p --include-prerelease\n',
      ),
    ],
    [
      updateTask('2', 'completed'),
      updateTask('3', 'in_progress'),
      grep('maxSatisfying', { path: 'README.md', output_mode: 'content', '-C': 2 }),
    ],
    [read('README.md', { offset: 490, limit: 40 })],
    [
      edit(
        'README.md',
        '* `minSatisfying(versions, range)`:',
        '* `latestStable(versions, range)`: Return the highest version in the list without a\n  prerelease that satisfies the range (default `*`), or `null`.\n* `minSatisfying(versions, range)`:',
      ),
    ],
    [
      write(
        'check.js',
        "'use strict'\nconst assert = require('assert')\nconst { latestStable } = require('.')\nassert.strictEqual(latestStable(['1.0.0', '2.0.0-rc.1', '1.5.0']), '1.5.0')\nassert.strictEqual(latestStable(['1.0.0', '1.5.0'], '<1.2'), '1.0.0')\nassert.strictEqual(latestStable(['2.0.0-rc.1']), null)\nassert.strictEqual(latestStable([]), null)\nconsole.log('latestStable: 4 checks passed')\n",
      ),
    ],
    [bash('node check.js')],
    [bash('git status --short && git diff')],
    [updateTask('3', 'completed'), bash('rm check.js')],
  ],
  answer: 'latestStable and --stable exist, are documented and were checked.',
}
