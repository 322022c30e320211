"""Plots of going out, being afraid, racing, learning and finding."""

TEXT = """
= storm: caught in a storm + animal in the dark|sang in the storm|elder came
= race: ran a race + slept too long|stopped for an animal|same time
= secret: hidden animal + shared the secret|kept it alone
= night: noise at night + only an animal|only an elder|only a thing
= rescue: stuck animal + blanket and rope|food in a row|long branch + was safe
= snow: built a snowman + melted away|animal in the snow
= grow: planted a seed + grew tall|nibbled|prize plant
= build: built a hut + blown down|moved in|good roof
= learn: wanted to learn + friend teaches|elder teaches|tried alone
= treasure: old map + dug it up + shared the treasure|belonged to an elder
= star: wished on a star + wished for a friend|wished for a thing
= seek: hide and seek + fell asleep|betrayed by an animal
= visit: long road + hungry animal on the road|friend on the road + arrived
= dream: strange dream + woke up
= bridge: narrow plank + stepped back|both fell
= paint: painted the fence + colourful paws|colourful friend
= moon: afraid of the dark + brave with a thing|brave with a friend
= astray: lost the way + led by an animal|heard a song

## caught in a storm
<when> {a} and {b} were playing with a {colour} {thing} at the {place}. / On {day} {a} and {b} took a {colour} {thing} to the {place}.
Dark clouds came up, and the wind began to howl. / All at once the sky turned grey and the wind grew strong. / Far away there was thunder, and the first drops of rain fell.
"We must go home," said {a}. / "A storm is coming!" cried {b}. / {b} was afraid of thunder, so {a} took {bhim} by the hand.
They ran to an old hut and shut the door behind them. / They crept into a hollow tree and sat close together. / There was no time to run home, so they hid under a cart.

## animal in the dark
Inside sat a {animal}, wet and shaking. / Something moved in the dark, and it was a {animal}.
{a} dried the {animal}, and {b} told it a story. / They let the {animal} sit between them, and soon it was warm.
When the storm was over, the {animal} looked back once and ran off. / Outside the sun came back, and the {animal} shook itself and was gone.
"That was almost fun," said {a}, and {b} laughed. / And {a} and {b} jumped into every puddle on the way home.

## sang in the storm
They counted the seconds between the flash and the thunder. / They sang every song they knew, louder than the rain.
Little by little the thunder moved away. / After the last song the rain was only a whisper.
When they came out, there was a rainbow over the roofs. / Outside, every leaf was shining.
"I was not afraid with you," said {b} to {a}. / "That was almost fun," said {a}, and {b} laughed.

## elder came
Then a light came nearer, and it was {elder}. / Soon they heard {elder} calling.
"I knew where to look," said {elder}, and wrapped them in a warm coat. / {elder} had dry coats for {a} and {b}.
At home {elder} made hot milk for {a} and {b}. / By the fire {elder} told a story, and {a} and {b} listened.

## ran a race
<when> {a} and {b} ran a race to the {place}. / "Who will be first at the {place}?" called {b} to {a}. / On {day} {a} and {b} had a race to the {place}.
{b} was fast as the wind. / {b} had long legs and never looked back. / {b} was in front from the first step.
{a} was slower, but {he} did not give up. / {a} ran at {his} own pace and breathed slowly.

## slept too long
Halfway, {b} stopped to rest {spot}. / {b} felt so sure that {bhe} lay down {spot} and closed {bhis} eyes.
{a} ran on and on, past {b}. / On tiptoe, {a} ran past {b}.
So {a} was the first at the {place}. / And that is how {a} won the race.
"I slept too long!" said {b}, and had to laugh. / "You never stopped," said {b} to {a}.

## stopped for an animal
Then {a} heard a {animal} that was caught in a net. / By the path a {animal} was caught in a net.
{a} stopped at once and set the {animal} free. / {a} forgot the race and knelt down by the {animal}.
{b} won the race, but nobody was there to cheer. / So {b} was the first at the {place}, and waited and waited.
"You helped the {animal}, so you are the real winner," said {b} to {a}. / When {b} heard about the {animal}, {bhe} gave {a} half of the prize.

## same time
Near the end {a} came closer and closer. / But at the last corner {a} caught up.
{a} and {b} reached the {place} at the same time. / At the {place} nobody could say who was first, {a} or {b}.
"Shall we run again?" asked {b}. / "Next time we start earlier," said {b} to {a}.

## hidden animal
At the {place}, {spot}, {a} had found a {animal} asleep. / {Spot}, at the {place}, {a} saw a {animal} with its little ones. / <when> {a} found a {animal} at the {place}, {spot}.
{a} told nobody, for the {animal} was shy. / It was so small and so quiet that {he} hardly dared to breathe. / Every day {he} brought the {animal} something to eat.

## shared the secret
"Where do you always go?" asked {b}. / But {b} saw {a} leave and wondered. / "You are hiding something," said {b} to {a}.
"Can you keep a secret?" asked {a}. / {a} thought for a long time and took {b} by the hand.
{a} led {b} to the {place}, and they lay down in the grass. / Without a sound, {a} and {b} crept to the {place}.
When {b} saw the {animal}, {bhis} eyes grew wide. / The {animal} looked up, and it was not afraid.
Since then {a} and {b} have kept the secret together. / And {b} never told anyone, just as {a} had asked.

## kept it alone
<when> the {animal} came up to {a} and ate from {his} hand. / After a week the {animal} was not afraid of {a} any more.
Then autumn came, and the {animal} went away. / But one morning the {animal} was gone.
{a} was sad, but {he} told nobody. / {a} left some bread {spot}, just in case.
In spring the {animal} came back to the {place}. / When the snow was gone, {a} saw the {animal} again.

## noise at night
In the middle of the night {a} woke up. / It was late, and {a} could not sleep. / The moon was up, and only {a} was awake.
There it was again: tap, tap, tap. / Scratch, scratch, went something at the window. / Something was rustling in the dark.
{a} pulled the covers over {his} head. / {a} held {his} breath and listened. / {His} heart beat like rain on a roof.
"Do you hear it too?" whispered {a} to {b}. / {a} woke {b}, who was staying for the night.
"It is a ghost," whispered {b}. / "Let us look together," said {b}. / {b} took {a} by the hand.
On bare feet {a} and {b} went down the steps. / Step by step, {a} and {b} crept to the door.

## only an animal
It was only a {animal}, looking for something to eat! / And there sat a {animal}, with crumbs all over its face.
The {animal} was more afraid than they were. / The {animal} blinked at them and went on eating.
"Good night, ghost," said {a}, and {b} laughed until it hurt. / {a} gave the {animal} a bit of bread, and {b} shut the door softly.

## only an elder
It was only {elder}, who could not sleep either! / There stood {elder} in the kitchen, looking for some sugar.
{elder} was making warm milk with honey. / {elder} put a finger to {ehis} lips and smiled.
So {a} and {b} drank warm milk and were not afraid any more. / And at midnight {a}, {b} and {elder} had a little feast.

## only a thing
It was only a {colour} {thing} that the wind had moved! / There lay a {colour} {thing}, rocking in the wind.
{b} picked up the {thing} and shook it. / {a} put the {thing} in a safe place.
"A {thing} cannot bite," said {a}, and {b} laughed. / Then {a} and {b} went back to bed and slept well.

## stuck animal
<when> {a} heard a small cry from the {place}. / On the way to the {place} {a} heard a strange sound. / {a} was at the {place} when something squeaked.
A {animal} was stuck {spot}. / There, {spot}, sat a {animal} that could not get out.
{a} tried to lift the {animal}, but {his} arms were too short. / The {animal} was so frightened that it would not come to {a}.
{a} ran to fetch {b}. / "Help!" called {a}, and {b} came running.

## blanket and rope
{b} brought a rope and a {colour} cloth. / {b} had a rope and a {colour} cloth.
They put the cloth down, and the {animal} jumped right into it. / They wrapped the {animal} in the {colour} cloth and lifted it out.

## food in a row
{b} had some {fruits} in {bhis} bag. / "It must be hungry," said {b}, and took out some {fruits}.
They laid the {fruits} in a row, and the {animal} came out, bite by bite. / One by one the {animal} ate the {fruits}, and came closer each time.

## long branch
{b} found a long branch and held it down. / "We need a long branch," said {b}.
Slowly the {animal} climbed up the branch. / The {animal} held on, and {a} and {b} pulled.

## was safe
It shook itself and looked at them as if to say thank you. / The {animal} was safe, and not even scratched.
The next morning the {animal} was waiting at the door of {a}. / {a} and {b} went to see the {animal} every {day}. / "We are a good team," said {a} to {b}.

## built a snowman
{a} woke up, and the world was white. / It snowed all night, and in the morning {a} could not find the path. / In the night the first snow had fallen, and {a} was the first to see it.
{a} called {b}, and they ran out to the {place}. / {a} and {b} met at the {place} with red noses.
They built a snowman that was taller than both of them. / They made a snowman with stones for eyes and a stick for a nose. / They rolled and pushed until a fat snowman stood there.
"It looks cold," said {b}. / "Something is missing," said {b}.
So {a} put {his} {colour} {thing} beside the snowman. / So {a} ran home and brought a {colour} {thing} for the snowman.

## melted away
But then the sun came, and day by day the snowman grew smaller. / After a week it grew warm, and the snowman began to drip.
In the end only the {colour} {thing} lay in the grass. / One morning there was only a puddle and the {colour} {thing}.
"It will come back next year," said {a} to {b}. / {a} took the {thing} home, and {b} kept the stones.

## animal in the snow
The next day a {animal} was asleep beside the snowman. / The next morning a {animal} had crept under the {thing}.
"Let it sleep," said {a}, and {b} nodded. / {a} and {b} did not wake the {animal}.
They brought some bread and went home on tiptoe. / And the snowman kept watch over the {animal}.

## planted a seed
In spring {elder} gave {a} a tiny {plant} seed. / {a} got a {plant} seed from {elder}. / "This will be a {plant} one day," said {elder}, and gave {a} a seed.
{a} put the seed into a pot of dark soil. / {a} made a hole with one finger and dropped the seed in. / Behind the house {a} dug a small hole for the seed.
Every morning {he} gave it water and said hello. / Every day {he} watered it and sang to it. / {a} watered it each day before breakfast.
A week went by, and nothing happened. / For a long time there was nothing to see. / But the soil stayed bare, and {a} grew sad.
"Be patient, it is working in the dark," said {elder}. / "Seeds are slow, but they never forget," said {elder}.
Then, one warm morning, there was a green tip. / After the rain, a small green leaf looked out.

## grew tall
By summer the {plant} was as tall as {a}. / All summer the {plant} grew, until it reached the window.
"We grew it together," {a} told {elder}. / "You were right," said {a} to {elder}. / {a} and {elder} sat beside it in the evening sun.

## nibbled
But a {animal} came and began to nibble at the {plant}. / Then a {animal} came along and looked at the {plant} hungrily.
{a} gave the {animal} some bread instead, and it left the leaves alone. / {a} built a little roof of sticks, and the {animal} went away.
In autumn {a} kept one seed of the {plant} for next year, just as {elder} had done. / That autumn {a} gave {elder} a new {plant} seed.

## prize plant
In summer {a} took the {plant} to the {place}. / On {day} everyone brought the best plants to the {place}, and {a} brought the {plant}.
The {plant} won a prize, a {colour} {thing}. / "The prize is a {colour} {thing}," said the {job}.
{a} gave the {thing} to {elder}, for it had been {ehis} seed. / {a} shared the prize with {elder}.

## built a hut
<when> {a} and {b} went to the {place} to build a hut.
It had [walls of branches|a roof of leaves] and a {colour} door. / They painted the door {colour}.
{a} carried the wood, and {b} tied the knots. / They worked until their hands were black.

## blown down
In the night the wind blew, and the hut fell down. / But a storm came, and in the morning there was only a heap of sticks.
"All that work for nothing," said {a}. / {a} sat down and wanted to cry.
"Now we know how to build a better one," said {b}. / {b} picked up the first stick again.
And the next hut of {a} and {b} stood for years. / So {a} and {b} built it again, and this time it stood.

## moved in
The next day a {animal} was sitting in the hut. / When they came back, a {animal} lived in the hut.
"That is our hut," said {a} to the {animal}, but it only blinked. / "It likes our hut," said {b}.
So {a} and {b} gave it to the {animal}. / {a} and {b} built a second hut beside that of the {animal}.

## good roof
When it was done, it began to rain. / Then the rain came, and they sat inside.
Not a drop came through the roof. / They listened to the rain, and they stayed dry.
"This is the best house in the world," said {a}, and {b} agreed. / {b} shared some {fruits} with {a}.

## wanted to learn
{a} could not {skill}. / Everyone could {skill}, but not {a}. / {a} wanted to learn to {skill}.
{He} was afraid that the others would laugh. / {He} had tried once, and it went wrong.

## friend teaches
"I will teach you to {skill}," said {b}. / {b} knew how to {skill} and offered to help.
They met at the {place}, where nobody could see. / Every day {a} and {b} practised at the {place}.
The first day was hard, and {a} wanted to give up. / {a} fell, got up, and fell again.
"Once more," said {b}. / {b} did not laugh, and that helped a lot.
And on {day} {a} could {skill}. / Then, all at once, {a} could {skill}!
"I knew it," said {b} to {a}. / {a} was so happy that {he} hugged {b}.

## elder teaches
"I learned to {skill} when I was small," said {elder}. / {elder} saw it and sat down beside {a}.
"First you must not be afraid," said {elder}. / {elder} showed {a} how it is done, slowly.
{a} tried it again and again. / {a} practised every evening after supper.
By {day} {a} could {skill}. / After a week {a} could {skill} almost like {elder}.
"Now you can teach somebody else," said {elder} to {a}. / And {elder} clapped until {a} went red.

## tried alone
So {he} went to the {place} early, when it was empty. / Every morning {he} practised alone at the {place}.
Only a {animal} was watching. / A {animal} came every day and watched.
Once {a} almost did it, and the {animal} jumped up. / Day after day {a} got a little better.
Then, on {day}, {a} could {skill}. / And at last {a} could {skill}!
{a} bowed, and the {animal} was the only one to see it. / "Did you see that?" asked {a}, and the {animal} nodded.

## old map
<when> {a} found an old map {spot}. / In an old box {a} found a map of the {place}.
There was a red cross on it, near the {place}. / A small cross showed a spot at the {place}.
"This must be a treasure," said {a} to {b}. / {a} ran to show the map to {b}.

## dug it up
{a} and {b} went to the {place} and began to dig. / So {a} and {b} took spades and went to the {place}.
They dug until they hit something hard. / They dug all morning, deeper and deeper.
It was a box, and in it lay a {colour} {thing}. / In the earth lay a {colour} {thing}.

## shared the treasure
"It is yours, you found the map," said {b}. / "We found it together," said {a}.
So {a} has the {thing} in summer, and {b} has it in winter. / Now the {colour} {thing} hangs in the hut of {a} and {b}.
But {a} and {b} still look for more maps. / "The best part was the digging," said {b} to {a}.

## belonged to an elder
{elder} saw the {thing} and grew very quiet. / They showed it to {elder}.
"I hid it there when I was a child," said {elder}. / "That is my old {thing}," said {elder}, and laughed.
So {a} gave the {thing} to {elder}. / {a} and {b} put it into the hands of {elder}.
And {elder} told {a} and {b} the whole story. / "Now it is your turn to hide it," said {elder} to {a} and {b}.

## wished on a star
<when> {a} lay in the grass and looked at the sky. / One clear night {a} sat at the window.
A star fell, bright and slow. / Then a star fell over the {place}.
"Quick, make a wish," thought {a}. / {a} closed {his} eyes and made a wish.

## wished for a friend
{a} wished for a friend to play with. / "I wish I had a friend," whispered {a}.
On {day} {a} met {b} at the {place}. / The next day somebody new stood at the {place}, and it was {b}.
"Do you want to play?" asked {b}. / {b} smiled at {a} as if they had always been friends.
{a} thought of the star and said yes to {b}. / Since then {a} and {b} look at the stars together.

## wished for a thing
{a} wished for a {colour} {thing}. / "I wish I had a {colour} {thing}," whispered {a}.
In the morning there was no {thing}, and {a} was sad. / {a} looked {spot}, but there was no {thing}.
{elder} asked what was wrong, and {a} told {ehim}. / "Wishes need hands," said {elder} to {a}.
So {elder} and {a} made a {thing} of wood and {colour} paint. / All day {a} and {elder} worked on a {thing}.
And it was better than one from a star, said {a} to {elder}. / In the evening {a} showed the {colour} {thing} to the stars.

## hide and seek
<when> {a} and {b} played hide and seek at the {place}.
{b} closed {bhis} eyes and counted. / {b} counted slowly, and {a} ran off.
{a} hid {spot} and kept very still. / Quick as a flash, {a} hid {spot}.

## fell asleep
It was so quiet there that {a} fell asleep. / {a} waited and waited, and {his} eyes closed.
{b} looked everywhere and began to worry. / "Where are you?" called {b}, but there was no answer.
Then {b} heard somebody snore. / At last {b} looked {spot}, and there {a} was, fast asleep.
"You won," said {b}, and woke {a}. / {a} woke up and did not know why {b} was laughing.

## betrayed by an animal
But a {animal} was there already. / Then a {animal} came and sniffed at {a}.
"Go away," whispered {a}, but the {animal} stayed. / The {animal} thought it was a game and jumped about.
{b} saw the {animal} and knew at once. / "What is that {animal} looking at?" said {b}.
"Found you!" called {b}, and {a} had to laugh. / Next time {b} let the {animal} hide, and {a} had to seek.

## long road
{elder} lived far away, and {a} wanted to visit {ehim}. / <when> {a} set out to visit {elder}.
{a} packed {some} {bakes} for the road. / In {his} bag {a} had {some} {bakes} for {elder}.

## hungry animal on the road
By the {place} {a} met a {animal}. / At the {place} a {animal} stepped into the road.
"What is in your bag?" the {animal} seemed to say. / The {animal} sniffed at the bag.
{a} gave the {animal} a bite, and it walked along. / "Come with me," said {a} to the {animal}.

## friend on the road
By the {place} {a} met {b}. / At the {place} stood {b}, all alone.
"May I come with you?" asked {b}. / "I have nothing to do today," said {b}.
So {a} and {b} walked on together, and the road was short. / {a} and {b} told each other riddles all the way.

## arrived
In the evening they knocked at the door of {elder}. / {elder} saw them from the window and ran out.
"What a surprise!" said {elder}, and hugged {a}. / {elder} put the {bakes} on the table and lit the fire.
"Next {day} I will come again," said {a}. / And {a} stayed until {day}.

## strange dream
{a} had a strange dream. / One night {a} dreamed of the {place}.
In the dream {he} could fly over the {place}. / In the dream the {place} was made of glass.
A {colour} {animal} flew beside {a}. / There stood a {animal}, and it was {colour} from head to tail.
"Hold my tail," said the {animal} to {a}. / The {animal} gave {a} a {thing} and asked {him} to keep it.

## woke up
Then {a} woke up in {his} own bed. / But the sun rose, and {a} opened {his} eyes.
{a} told {elder} the whole dream. / "What a dream!" said {elder} when {a} told it.
"Maybe it was true," said {elder} to {a}. / On the floor lay a {colour} hair, and {elder} winked at {a}.

## narrow plank
{a} and {b} met in the middle of a narrow plank. / A narrow plank led over the water, and in the middle {a} met {b}.
{a} carried a {colour} {thing}, and {b} carried a {tint} {other}. / {a} had a {colour} {thing} on {his} back, and {b} had a {tint} {other}.
"Go back," said {a}. / "I was here first," said {a}.
"No, you go back," said {b}. / {b} shook {bhis} head and did not move.

## stepped back
They stood there until the sun went down. / They looked at each other for a long time.
Then {a} laughed and stepped back to let {b} pass. / At last {b} took a step back and let {a} pass.
"Thank you," said {b}, and waited on the other side for {a}. / It cost nothing, and {a} and {b} became friends.

## both fell
They pushed and pulled, and the plank began to shake. / Neither would move, and the plank bent lower and lower.
Splash, and both {a} and {b} were in the water! / Then {a} and {b} fell into the cold water.
The {thing} and the {other} swam away together. / Only the {thing} and the {other} stayed dry.
"Next time we talk first," said {a} to {b}. / Wet from head to foot, {a} and {b} began to laugh.

## painted the fence
{a} wanted to paint the house {colour}. / <when> {a} began to paint the door {colour}.
{He} worked all morning, and the paint was still wet. / {He} painted with care, from top to bottom.

## colourful paws
Then a {animal} ran past and brushed against it. / A {animal} came by and sat down in the paint.
Now the {animal} had {colour} paws. / Everywhere the {animal} went, it left {colour} prints.
{a} wanted to be cross, but the {animal} looked too funny. / {a} washed the {animal}, but it stayed a little {colour}.
{elder} saw the prints and laughed with {a}. / "Now I know who was here," said {elder}.
And {elder} never wiped them away, because {a} liked them. / So {elder} and {a} painted the rest with paws too.

## colourful friend
{b} came by and leaned on it. / "What are you doing?" asked {b}, and sat down on it.
"Stop, it is wet!" cried {a}. / {a} opened {his} mouth, but it was too late.
{b} was {colour} from head to toe. / Now {b} had a {colour} back.
"It suits you," said {a}, and {b} laughed. / So {b} took a brush and helped {a} to the end.

## afraid of the dark
{a} was afraid of the dark. / When the light went out, {a} could not sleep.
Every night {he} saw a monster {spot}. / Every shadow looked like a monster to {a}.

## brave with a thing
{elder} gave {a} a {colour} {thing}. / "This {colour} {thing} has never been afraid," said {elder} to {a}.
{a} took the {thing} to bed and held it tight. / That night {a} put the {thing} beside {his} bed.
The monster was only a coat on a hook, and {a} laughed. / {a} looked at the shadow, and it was only a coat.
In the morning {a} gave the {thing} back to {elder}. / "I do not need it any more," said {a} to {elder}.

## brave with a friend
<when> {b} stayed for the night. / On {day} {b} came to sleep at the house of {a}.
"I am afraid of the dark too," whispered {b}. / {b} pulled the covers up to {bhis} nose.
So {a} told {b} a funny story about the monster. / {a} felt brave at once and held the hand of {b}.
Soon {a} and {b} laughed so loud that every monster ran away. / And before the story ended, {a} and {b} were asleep.

## lost the way
{a} walked too far and lost the way. / On the way back from the {place} {a} took the wrong path.
It grew dark, and every tree looked the same. / The path was gone, and the fog came up.
{a} sat down {spot} and did not know what to do. / "I want to go home," said {a}.

## led by an animal
Then a {animal} came out of the dark. / Something moved, and it was a {animal}.
The {animal} walked a few steps and looked back at {a}. / It seemed to know the way, so {a} followed the {animal}.
Soon {a} saw the light of home. / At last {a} stood in front of the house.
{elder} was at the door and hugged {a}. / "There you are!" cried {elder}, and hugged {a}.
And {elder} gave the {animal} the best bit of the supper. / "Thank you, little {animal}," said {elder}.

## heard a song
Then {a} heard a song from far away. / But somewhere, somebody was singing.
It was the song that {elder} always sang. / "That is {elder}!" cried {a}.
{a} followed the song, step by step. / {a} ran through the dark until {he} saw a light.
There stood {elder} at the door, and {a} was home. / {elder} stopped singing and hugged {a}.
"""
