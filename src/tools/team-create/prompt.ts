export const prompt = `Creates a team: named agents that work side by side and send each other messages. You lead it.

Use it for work with parts that several agents can do at the same time and that need to coordinate. For one separate task, use Agent without a team.

1. Create the team.
2. Add the parts of the work to the task board with TaskCreate. All members share the board.
3. Start each teammate with Agent and a name: it runs in the background. Its prompt must contain everything it needs to know.
4. When a teammate has finished, you get its last text and it waits. SendMessage gives it more work; messages reach it between its steps, also while it works.
5. When all is done, delete the team with TeamDelete.

Messages arrive by themselves: do not poll, end your turn when you have nothing to do.

A team of another session of this project can be joined: give its team_name, and as name the name that you want to have in it.`
