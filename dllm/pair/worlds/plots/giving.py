"""Plots of giving, sharing, swapping and helping."""

TEXT = """
= gift: birthday + painted an old thing|made with a friend|found in the attic + gave it
= trade: both had + swapped + fair trade|missed it
= quarrel: both wanted + took turns|asked an elder|let go
= help: on the way + cart in the mud|sore knee|heavy load + came late
= ill: friend in bed + brought a thing|brought fruit
= shy: new child + showed a thing|shared food|asked to play + became friends
= forgotten: nobody remembered + surprise at home|surprise outside
= work: helped a worker + paid with a thing|learned a trade
= chain: passed on + came back
= stray: followed home + may stay|had an owner

## birthday
It was the birthday of {elder}, and {a} had no present yet. / {a} wanted to give {elder} a present, but had no money[ at all|]. / On {day} it would be the birthday of {elder}, and {a} [could not sleep|had no present].
{a} thought about it all [morning|day]. / "What does {elder} like best?" wondered {a}. / So {a} sat by the window and thought hard.

## painted an old thing
At last {he} found some {colour} paint and an old {thing}. / In the attic {he} found an old, dusty {thing} and some {colour} paint.
{a} washed the {thing} and painted it until it shone. / All afternoon {a} rubbed and painted[, and nobody was allowed to look|].
Now it was a {colour} {thing}, as good as new. / By evening there stood a {colour} {thing}, bright as morning.

## made with a friend
Then {a} asked {b}, who could make almost anything. / Then {a} ran to {b} for help.
"Let us make a {thing}," said {b}. / "Everyone needs a {thing}," said {b}, and fetched [wood|paper] and {colour} paint.
{a} and {b} worked until the {colour} {thing} was done. / {a} held the pieces, {b} tied the knots, and soon the {colour} {thing} was ready.

## found in the attic
Then {a} climbed up to the attic. / {a} went up to the attic to think.
There, {spot}, stood a {colour} {thing}. / There {a} found a {colour} {thing}, dusty and forgotten.
{a} wiped off the dust and tied a bow around the {thing}. / {a} cleaned the {thing} all evening.

## gave it
{a} gave the {thing} to {elder} with both hands. / After supper {a} gave the {colour} {thing} to {elder}.
"It is the best present of all," said {elder}. / {elder} did not say anything at first, but {ehis} eyes were shining. / {elder} held it up to the light and smiled.
? And {a} felt warm all over. / That night {a} fell asleep with a smile. / And {a} learned that giving can feel like getting.

## both had
{a} had a {colour} {thing}, and {b} had a {tint} {other}.
Every day at the {place}, {a} looked at the {other} and sighed. / <when> {a} and {b} met at the {place}.
"I wish I had a {other} like yours," said {a}. / "Your {other} is so fine," said {a}. / "Shall we swap?" asked {a}.
"And I have always liked your {thing}," said {b}. / "I would rather have a {thing}," said {b}. / {b} thought for a moment and nodded.

## swapped
So {a} gave the {colour} {thing} to {b}, and {b} gave the {tint} {other} to {a}.

## fair trade
Now the {thing} belonged to {b}, and the {other} belonged to {a}. / From that day the {thing} belonged to {b}, and the {other} belonged to {a}.
{a} and {b} shook hands, and both were sure they had won. / It was a fair trade, and {a} and {b} stayed friends.

## missed it
But that night {a} missed the {colour} {thing} and could not sleep. / But soon {a} felt sad without the {thing}.
{b} understood at once and gave it back. / "You can always play with it at my house," said {b}.
"Some things are for keeping," said {a}, and {b} nodded. / And {a} and {b} were even better friends than before.

## both wanted
<when> {a} and {b} found a {colour} {thing} at the {place}. / At the {place} lay a {colour} {thing}, and {a} and {b} saw it at the same time.
"It is mine," said {a}, and "It is mine," said {b}. / {a} pulled at one end of the {thing}, and {b} pulled at the other.
They pulled until they both sat in the [grass|mud]. / They shouted so loud that the birds flew away.

## took turns
Then {a} began to laugh, and {b} laughed too. / "This is silly," said {a}, and {b} had to laugh.
So {a} had the {thing} in the morning, and {b} had it in the evening. / {b} got the first turn, and {a} got the next.
And it was more fun with {a} and {b} together. / Since then {a} and {b} share [everything|whatever they find].

## asked an elder
They went to {elder} and asked who should have it. / {elder} heard the noise and came out.
"Then I will keep it until you agree," said {elder}. / "A thing for both is a thing for nobody alone," said {elder}.
{a} looked at {b}, and {b} looked at {a}. / It took {a} and {b} only a minute to agree.
And {elder} gave the {colour} {thing} to both of them. / {elder} smiled and gave the {thing} back to {a} and {b}.

## let go
Then {a} saw how much {b} wanted it. / {a} let go first and said sorry to {b}.
"You can have the {thing}," said {a}. / So {a} gave the {thing} to {b}.
The next day {b} came with a {tint} {other} for {a}. / {b} was so glad that {bhe} gave {a} a {tint} {other}.
"Now we both have something," said {b}. / And {a} and {b} never quarrelled again.

## on the way
{a} was on the way to the {place} when {he} saw {b}. / <when> {a} met {b} near the {place}. / {a} wanted to be the first at the {place}, but then {he} saw {b}.

## cart in the mud
{b} was pulling a cart full of {fruits}, and it was stuck in the mud. / {b} had a cart of {fruits}, and a wheel had come off.
"It is too heavy for me," said {b}. / {b} pulled and pulled, but it would not move.
"Push while I pull," said {a}. / {a} rolled up {his} sleeves and pushed [hard|with all {his} strength].
At last the cart rolled on. / With a creak and a jump, the cart was free.
{b} gave {a} the biggest of the {fruits}. / "Half of the {fruits} are yours," said {b} to {a}.

## sore knee
{b} had fallen and could not walk. / {b} sat on the ground and held {bhis} knee.
"Does it hurt?" asked {a}. / {a} knelt down and looked at it.
{a} washed the knee and tied a {colour} cloth round it. / {a} tied a {colour} cloth round the knee of {b}.
Then {a} let {b} lean on {his} arm, all the way home. / Slowly, slowly, {a} walked {b} home.
The next day {b} brought the {colour} cloth back, washed and folded. / A week later {b} could run again, and {a} ran with {bhim}.

## heavy load
{b} was carrying a {colour} {thing} that was much too heavy. / {b} was dragging a big {colour} {thing} along the road.
"Let me take one end," said {a}. / {a} picked up one end of the {thing}.
Step by step, {a} and {b} carried the {thing} home. / {a} and {b} sang as they carried it.
"Without you I would still be on the road," said {b} to {a}. / {b} gave {a} a cup of hot milk.

## came late
It was too late for the {place}, but {a} did not mind. / {a} came late to the {place} that day, and did not mind a bit. / And then {a} and {b} went to the {place} together.

## friend in bed
{b} was ill and had to stay in bed. / <when> {b} did not come to the {place}, because {bhe} was ill.
{a} wondered how to cheer up {b}. / "{b} must be so bored," thought {a}. / Without {b} the games were only half as much fun for {a}.

## brought a thing
So {a} took {his} {colour} {thing} and went to see {b}. / {a} knocked at the window and held up a {colour} {thing}.
"You can keep the {thing} until you are well," said {a}. / {a} put the {thing} on the bed and told a long story.
{b} held the {thing} and felt better at once. / {b} laughed for the first time in days.
On {day} {b} was well again and brought the {colour} {thing} back. / When {b} was well, {bhe} gave the {thing} back to {a}.

## brought fruit
So {a} picked {many} {fruits} and went to see {b}. / {a} filled a basket with {many} {fruits} for {b}.
{b} ate {some} of them at once. / {b} was hungry and ate {some} {fruits}.
There were {rest} {fruits} left for the next day. / In the basket there were {rest} {fruits} left.
The next morning {b} felt better and thanked {a}. / "These {fruits} are the best medicine," said {b} to {a}.

## new child
{b} was new, and {bhe} did not know anyone. / {b} had just moved in next door. / On {day} a new family moved in next door, with a child called {b}.
At the {place}, {b} stood alone and looked at {bhis} shoes. / {b} watched the others play at the {place}, and said nothing.
{a} saw it, and remembered how that feels. / {a} stopped playing and thought for a moment. / {a} was a bit shy too.

## showed a thing
So {he} held out {his} {colour} {thing}. / So {he} picked up {his} {colour} {thing} and went over.
"I have never had a {thing}," said {b}. / "Is that a {thing}?" asked {b}.
{a} showed {b} how to hold the {thing}. / {a} let {b} have the first turn with the {thing}.

## shared food
So {he} broke a warm loaf in half. / So {he} took some {fruits} out of {his} bag.
"Half is for you," said {a}. / "I cannot eat all this alone," said {a}.
{b} looked up for the first time. / {b} ate without a word, and it was a good silence.

## asked to play
"We need one more for our game," said {a}. / So {a} asked {b} to join the game.
{b} ran so fast that nobody could catch {bhim}. / {b} did not know the rules, but {bhe} learned fast.
"You are good at this," said {a}. / "Where did you learn that?" asked {a}.

## became friends
Soon {a} and {b} were laughing as if they had always known each other. / By evening {b} had a friend, and so had {a}. / "See you tomorrow," said {b} to {a}.

## nobody remembered
It was the birthday of {a}, but nobody said a word. / {a} woke up early, for it was {his} birthday.
{elder} only said good morning and went out. / Even {elder} seemed to have forgotten it.
{a} went to see {b}, but {b} was not at home. / {a} looked for {b} everywhere, but {b} was gone.

## surprise at home
Slowly {a} walked home and opened the door. / In the evening {a} came home and felt sad.
"Surprise!" called {elder} and {b}. / There stood {elder} and {b} with a big cake.
{b} had a {colour} {thing} for {a}. / On the table lay a {colour} {thing}, and it was from {b}.
"How could we forget you?" said {elder} to {a}. / And {a} laughed and danced with {elder}.

## surprise outside
Then {a} heard music from the {place}. / {a} saw lights at the {place} and went there.
At the {place} {elder} and {b} were waiting with a cake. / There were {elder} and {b}, and they began to sing.
{elder} gave {a} a {colour} {thing}. / And {a} got a {colour} {thing} from {elder}.
"It was so hard to keep the secret," said {b} to {a}. / {b} and {a} danced until the moon came up.

## helped a worker
The {job} had too much to do. / <when> {a} met the {job} at the {place}.
"Who will help me?" sighed the {job}. / The {job} sat down and sighed.
"I will," said {a}, and {he} went to work. / So {a} helped the {job} all [day|week].

## paid with a thing
In the evening the {job} gave {a} a {colour} {thing}. / "This is for you," said the {job}, and gave {a} a {colour} {thing}.
{a} had never had a {thing} before. / {a} looked at the {thing} and was very proud.
At home {a} showed the {colour} {thing} to {elder}. / {a} ran home to show it to {elder}.
"You have earned it," said {elder}. / And {elder} was proud of {a} too.

## learned a trade
First {a} did everything wrong. / At first {a} was slow and clumsy.
But the {job} was patient and showed {a} everything. / "Do it once more," said the {job}, again and again.
By {day} {a} could do it alone. / After a week {a} was almost as good as the {job}.
"One day you will be a {job} too," said the {job} to {a}. / "I want to be a {job}," {a} told everyone at home.

## passed on
{a} gave {b} a {colour} {thing}, just to be kind. / <when> {a} made a {colour} {thing} and gave it to {b}.
{b} was happy with the {thing}, but then {bhe} met {elder}. / {b} took the {thing} to {elder}, who was sad that day.
So {b} gave the {colour} {thing} to {elder}. / "You need it more than I do," said {b} to {elder}.

## came back
{elder} kept the {thing} for a while and thought of {a}. / {elder} remembered that the birthday of {a} was near.
On {day} {a} got a present from {elder}. / And {elder} gave a small packet to {a}.
It was the {colour} {thing}, and {a} began to laugh. / When {a} opened it, there was the {colour} {thing}.

## followed home
<when> a {animal} followed {a} home from the {place}. / On the way home from the {place} {a} heard small steps, and it was a {animal}.
"Go home, little {animal}," said {a}, but it did not. / {a} walked faster, and the {animal} walked faster too.
At the door the {animal} sat down and waited. / The {animal} looked so hungry that {a} let it in.

## may stay
"May it stay?" asked {a}, and {elder} looked at the {animal}. / {a} asked {elder} if the {animal} could stay.
"If you look after it," said {elder}. / "One night," said {elder}, but {ehe} was smiling.
{a} made a bed for the {animal} {spot}. / That night the {animal} slept {spot}.
And one night became a hundred nights for {a} and the {animal}. / The {animal} is still there, and {a} feeds it every day.

## had an owner
Then {b} came by, calling and looking left and right. / The next day {b} knocked at the door, very sad.
"I have lost my {animal}," said {b}. / "Have you seen a {animal}?" asked {b}.
The {animal} jumped up and ran to {b}. / {a} opened the door, and there sat the {animal}.
It was hard for {a}, but {b} said it could come to play. / Now {a} and {b} take the {animal} to the {place} every {day}.
"""
