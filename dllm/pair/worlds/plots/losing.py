"""Plots of losing, breaking and mending."""

TEXT = """
= lost: had + lost out|lost to the wind|lost in the crowd + found by a friend|found by an animal|found by an elder
= stuck: had + stuck up high + climbing friend|helpful wind|helpful animal
= broken: borrowed in secret + told the truth + mended together|paid with work|given in return
= blamed: borrowed in secret + blamed the animal + mended together|forgiven by the animal
= repaired: had a broken thing + repaired with an elder + showed a friend|gave it away
= borrowed: asked to borrow + brought it back|brought it back late

## had
{a} had a {colour} {thing}. / {a} had a {colour} {thing} that {he} [loved more than anything|took everywhere|looked after well]. / There was once a {colour} {thing}, and it belonged to {a}. / Everywhere {a} went, {his} {colour} {thing} went too. / [For {his} birthday|Last winter|Once] {a} got a {colour} {thing}.

## lost out
<when> {he} took the {thing} to the {place}. / <when> {he} played with it at the {place} [until the sun was low|all afternoon|until supper]. / <when> {a} took it along to the {place}.
But when {he} came home, the {thing} was gone. / [On the way|Halfway] home {he} reached for it, and it was not there. / But somewhere between one game and the next, {a} lost it.
{a} looked [in every corner|everywhere] and felt like crying. / {a} sat down and did not say a word. / {a} turned out both pockets and found only crumbs.

## lost to the wind
<when> {a} was at the {place} with it. / <when> {he} took the {thing} to the {place}.
Then [a strong wind|a gust of wind|the wind] came and carried the {thing} away. / But the wind blew so hard that {a} could not hold it.
{a} ran after it [as fast as {he} could|until {he} was out of breath], but it was gone. / {a} called [and called|out loud], as if the {thing} could hear.

## lost in the crowd
<when> the {place} was full of people. / <when> {a} pushed through a crowd at the {place}.
Someone bumped into {a}, and the {thing} [slipped away|fell down|was gone]. / When {a} looked down, the {thing} was [gone|not there any more].
"My {thing}!" cried {a}[, and {his} voice shook|]. / {a} looked between all the [legs|feet], but [there was no {thing}|in vain].

## found by a friend
"I will help you look," said {b}. / "[We will look together|Together we will find it]," said {b}. / "Where did you have it last?" asked {b}.
So {a} and {b} went back to the {place}[, looking left and right|]. / Hand in hand, {a} and {b} searched [the whole {place}|the {place} again].
There it was, {spot}! / And there, {spot}, [something {colour} was shining|lay the {thing}]. / {b} found the {thing} {spot}.
"You are a [true|good] friend," said {a}[, and hugged {b}| to {b}]. / {a} laughed out loud and [hugged|thanked] {b}. / From then on {a} and {b} took turns with the {colour} {thing}.

## found by an animal
[Then|Just then] a {animal} [came by and sniffed at {his} shoes|peeped out and looked at {a}]. / A small sound made {a} turn round: it was a {animal}.
The {animal} ran ahead, and {a} ran after it. / So {a} followed the {animal}[, step by step|].
It stopped, and there, {spot}, lay the {colour} {thing}. / The {animal} had [kept the {thing} warm|been asleep on the {thing}] {spot}. / And {spot}, a little dusty, lay the {thing}.
"Thank you, [clever|good] {animal}!" said {a}. / {a} gave the {animal} [a crust of bread|a gentle pat]. / Since that day {a} and the {animal} have been friends.

## found by an elder
At home {a} told {elder} [everything|what had happened]. / {elder} saw at once that {a} was sad.
"Let us [think|go back] together," said {elder}. / "Lost things like to be found," said {elder}.
{elder} and {a} looked {spot}, and there it was. / They looked again, and {spot} lay the {colour} {thing}. / {elder} found it {spot}, [a bit wet|quite dry].
{a} thanked {elder} and held the {thing} [tight|with both hands]. / "Next time I will be more careful," said {a} to {elder}.

## stuck up high
<when> {a} took it to the {place}. / <when> {he} played with the {thing} at the {place}.
{a} threw it [too high|up], and it got stuck in a tall tree. / The wind took the {thing} and dropped it in a tree.
{a} jumped and jumped, but [the tree was too tall|{he} was too small]. / {a} shook the tree, but nothing fell down.

## climbing friend
"I can climb," said {b}[, who was passing by|]. / Then {b} came by and looked up.
{b} climbed [from branch to branch|higher and higher] and took the {thing}. / Up went {b}, and down came the {colour} {thing}.
"[Catch|Here it comes]!" called {b}, and {a} caught it. / {a} clapped [and cheered|both hands] for {b}. / Then {a} and {b} played together until dark.

## helpful wind
"Let us wait," said {b}. / {b} sat down in the grass beside {a}.
So {a} and {b} waited and [told jokes|counted clouds]. / They waited [a long time|all afternoon], {a} and {b}.
At last the wind [blew again|came back], and the {thing} fell down. / Then the wind shook the tree, and down came the {colour} {thing}.
"[You were right|Waiting helps]," said {a} to {b}. / {a} and {b} laughed and went home.

## helpful animal
A {animal} was watching [{him} from above|from the tree]. / In the tree sat a {animal}.
"Please help me," said {a} to the {animal}. / {a} held out some bread for the {animal}.
The {animal} gave the {thing} a push, and it fell down. / With one jump the {animal} brought down the {colour} {thing}.
{a} shared [{his} supper|a bit of cheese] with the {animal}. / "Thank you!" said {a}, and the {animal} [bowed|winked]. / Every day {a} came back to see the {animal}.

## borrowed in secret
{b} had a {colour} {thing}, and it was {bhis} treasure. / {b} had a {colour} {thing} that nobody else was allowed to touch. / {b} was very proud of {bhis} {colour} {thing}.
<when> {a} borrowed it without asking. / {a} wanted to hold it for [just a moment|a while]. / <when>, when nobody was looking, {a} picked it up.
It slipped out of {his} hands and broke. / Then {a} stumbled, and the {thing} fell to the floor. / But {a} was careless, and the {thing} broke.

## told the truth
{a} wanted to hide it and say nothing. / "Maybe nobody will notice," thought {a}. / {a} went red, and {his} heart beat fast.
But {a} took a deep breath and went to {b}. / But a lie is heavier than a stone, so {a} went to {b}.
"I broke your {thing}, and I am so sorry," said {a}. / "It was me," said {a}[ in a small voice|].

## blamed the animal
"The {animal} did it," said {a} when {b} came. / {a} told {b} that a {animal} had broken it.
The {animal} [looked|only looked] at {a} with big, sad eyes. / {b} scolded the {animal}, and {a} felt worse and worse.
At last {a} told {b} the truth. / "No, it was me," said {a} [at last|after a while].

## mended together
{b} was sad, but {bhe} was not angry. / "Thank you for telling me," said {b}. / For a while {b} said nothing.
{a} and {b} took glue and string and mended the {colour} {thing}. / All evening {a} and {b} glued the {colour} {thing} together.
You could still see the crack, and {b} liked it even better. / "Now it has a story," said {b}. / Next time {a} asked first, and {b} said yes.

## paid with work
"Then help me for a week," said {b}. / {b} thought [for a while|hard] about what was fair.
Every day {a} came and [swept the yard|carried water] for {b}. / For a whole week {a} worked [hard|without a word] for {b}.
Then {a} and {b} bought a new {thing}[, just as {colour} as the old one|]. / On {day} there was a new {colour} {thing} on the table.
"Now we are [even|friends again]," said {b} to {a}. / And {b} let {a} [hold it|try it] first.

## given in return
{a} had a {tint} {other}, and {he} held it out to {b}. / "Take my {tint} {other} instead," said {a}.
{b} looked at the {other} for a long time. / {b} shook {bhis} head and gave the {other} back.
"[Keep it|A friend is worth more]," said {b} to {a}. / "We can share the {other}," said {b} to {a}.
And {a} and {b} were friends as before. / So {a} and {b} [shook hands|had to smile].

## forgiven by the animal
{b} was not angry, but {a} still felt bad. / "Say sorry to the {animal} too," said {b}.
So {a} brought the {animal} [a bowl of milk|some bread]. / {a} sat down by the {animal} and said sorry.
The {animal} [licked {his} hand|put its head on {his} knee]. / The {animal} forgot it at once, as animals do.

## had a broken thing
{a} had a {colour} {thing}, but it was broken. / <when> {a} found {his} {colour} {thing} broken. / {a} had a {colour} {thing} that did not work any more.
? {He} had dropped it on the [floor|path]. / It had been out in the rain all night. / It was older than {a}.
"Throw it away," said {b}. / "You need a new one," said {b}. / {b} shook {bhis} head and said it was too late.
But {a} [could not do that|did not want a new one]. / "Not yet," said {a}. / {a} held it tight and ran to {elder}.

## repaired with an elder
{elder} put on {ehis} glasses and looked at the {thing}[ from all sides|]. / {elder} turned the {thing} over [once|twice].
"We need [glue and patience|a drop of glue]," said {elder}. / {elder} showed {a} how to hold the needle.
At last {elder} nodded, for the {colour} {thing} was as good as new. / When the moon came up, {elder} and {a} were done with the {thing}.

## showed a friend
"Can you mend my shoes too?" asked {b}. / {b} looked at it and could not find the crack. / The next day {b} came with a broken toy.
And {a} showed {b} how it is done. / "Come in," said {a}, and {b} came in. / So {a} and {b} opened a little [shop|repair shop].

## gave it away
"I was wrong," said {b}[ when {bhe} saw it|]. / {b} [could not believe it|rubbed {bhis} eyes].
"Take it, {b}, it is yours now," said {a}. / So {a} gave the {thing} to {b}. / {a} smiled and put it into the hands of {b}.

## asked to borrow
{b} had a {colour} {thing}. / {b} was the only one with a {colour} {thing}.
"May I borrow your {thing}?" asked {a}. / <when> {a} asked {b} for the {thing}.
"Yes, but bring it back on {day}," said {b}. / {b} said yes, but only until {day}.
{a} took the {thing} to the {place} and [was happy|had a lovely time]. / At the {place} everyone wanted to see the {colour} {thing}.

## brought it back
On {day} {a} cleaned the {thing} and brought it back. / On {day} {a} stood at the door with the {colour} {thing}.
"You kept your word," said {b}[, and smiled|]. / {b} looked at it, and it was as clean as new.
Since then {b} lends {a} everything. / "You may always borrow it," said {b} to {a}.

## brought it back late
{day} came, but {a} forgot all about it. / On {day} {b} waited, but {a} did not come.
The next morning {a} remembered and ran [all the way|without stopping]. / A day later {a} came, out of breath.
"I am sorry," said {a}, and gave the {thing} back. / {a} held out the {colour} {thing} and [looked down|went red].
"Better late than never," said {b} to {a}. / {b} was cross for a minute, and then {bhe} laughed.
"""
