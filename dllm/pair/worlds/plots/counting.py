"""Plots in which something is counted: what is left must be what there was, less what went."""

TEXT = """
= bake: baked some + hungry friend|hungry animal + one share left|two shares left
= gather: picked some + met a friend|met an animal|hole in the basket + counted at home
= sell: wanted to sell + sold some + wind and mud|hungry seller|poor man + counted in the evening
= collect: collected things + gave some things|lost some things|found more things
= picnic: packed food + ate together|thief of a picnic
= coins: saved coins + bought a thing|gave coins away
= game: played for things + won some|lost some
= harvest: shared work + shared fruit

## baked some
<when> {a} baked {many} {bakes}. / One rainy {day} {a} baked {many} {bakes}. / The kitchen smelled wonderful, for {a} had baked {many} {bakes}.
? They were round and crisp and still warm. / They were so good that the whole street could smell them. / {a} set them by the window to cool.

## hungry friend
Then {b} knocked at the door. / Soon {b} came by with wet shoes and a cold nose. / {b} looked in through the window.
"Are those {bakes}?" asked {b}. / "I have not eaten all day," said {b}. / "Something smells like heaven," said {b}.
{a} smiled and gave {some} {bakes} to {b}. / So {a} gave {some} of them to {b}.

## hungry animal
Then a {animal} [looked in at the door|came in from the rain]. / A {animal} sat down in front of {a}.
The {animal} looked at the {bakes} with big eyes. / "Are you hungry, little {animal}?" asked {a}.
{a} smiled and gave {some} {bakes} to the {animal}. / So {a} gave {some} of them to the {animal}.

## one share left
Now {a} had {rest} {bakes} left. / On the table there were {rest} {bakes} left. / There were {rest} {bakes} left.
They tasted better because they were shared. / "Next time I will bake even more," said {a}. / And {a} was [happy|glad] all evening.

## two shares left
Then {a} ate {few} of them, because baking makes you hungry. / Later {a} ate {few} {bakes} with a cup of milk.
In the end there were {last} {bakes} left. / In the evening {a} had {last} {bakes} left.
"Tomorrow I will bake again," said {a}. / {a} kept them for breakfast.

## picked some
<when> {a} picked {many} {fruits} at the {place}. / Early on {day} {a} went to the {place} and picked {many} {fruits}.
The basket was heavy, and the road was long. / They were ripe and sweet, and the sun was hot. / {He} counted them twice to be sure.

## met a friend
[On the way|Halfway] home {a} met {b}[, who looked hungry|, who was tired|, who was alone|].
{a} gave {some} {fruits} to {b}. / "Have some," said {a}, and gave {some} {fruits} to {b}. / So {a} gave {some} of them to {b}.
"How sweet they are!" said {b}. / {b} ate the first one at once, and juice ran down {bhis} chin.

## met an animal
[On the way home|By the road] {a} met a {animal}. / But a {animal} was waiting on the path.
The {animal} looked at the basket with big eyes. / It looked so thin that {a} felt sorry for the {animal}.
{a} gave {some} {fruits} to the {animal}. / So {a} gave {some} of them to the {animal}.

## hole in the basket
On the way home {he} tripped over a root. / But there was a hole in the basket.
{a} lost {some} {fruits} in the tall grass. / Before {he} noticed, {a} had lost {some} {fruits}.
{a} looked for them, but they had rolled away. / "The birds will be glad of them," thought {a}.

## counted at home
At home {a} had {rest} {fruits} left. / At the door {he} counted again: there were {rest} {fruits} left. / So there were {rest} {fruits} left for supper.
They were just enough for a small cake. / "That is plenty," said {a}. / And they were the sweetest of the year.

## wanted to sell
{a} had {many} {fruits} to sell. / {a} had {many} {fruits} in a basket and wanted to sell them.
On {day} {he} sat down at the {place} and waited. / {He} sat at the {place} from morning on. / {a} went to the {place} and called out, but nobody stopped.

## sold some
First nobody came, and then {b} stopped. / After an hour {b} came along the road.
"What fine {fruits}!" said {b}. / "Are they sweet?" asked {b}. / "My mother loves {fruits}," said {b}.
{a} sold {some} {fruits} to {b}. / So {a} sold {some} of them to {b}.

## wind and mud
Then a gust of wind came, and {a} lost {few} {fruits} in the mud. / On the way home {a} lost {few} {fruits}.

## hungry seller
Later {a} ate {few} of them, because {he} was hungry. / At noon {a} ate {few} {fruits} in the shade.

## poor man
After that {a} gave {few} {fruits} to an old man who had no money. / Then {a} gave {few} of them to a poor old man.

## counted in the evening
In the evening {a} had {last} {fruits} left. / When the sun went down, there were {last} {fruits} left.
"Not bad for a first day," said {a}. / {a} carried them home with a song[, and waved to {b}|].

## collected things
{a} had {many} {things} in a box. / {a} had {many} {things}, and each was different. / Nobody else had {many} {things}, but {a} had {many} {things}.
Every evening {he} laid them in a row and counted them. / {He} knew each of them by heart. / {He} kept them under {his} bed.

## gave some things
Then {b} came to visit and could not stop looking. / <when> {b} came to play, and {bhe} had none.
So {a} gave {some} {things} to {b}. / "Take some," said {a}, and gave {some} {things} to {b}.
Now {a} had {rest} {things} left. / In the box there were {rest} {things} left.
"They are more fun for both of us," said {a} to {b}. / And {b} took good care of them.

## lost some things
<when> {he} took the box to the {place}. / <when> {a} carried the box across the {place}.
The box fell open, and {a} lost {some} {things}. / On the way {a} lost {some} {things}.
At home there were {rest} {things} left. / {a} counted, and there were {rest} {things} left.
"{Rest} are still a lot," said {a}. / "Somebody will be happy to find them," said {a}.

## found more things
<when> {he} went to the {place} and found {some} more. / At the {place} {a} found {some} more.
{a} put them in the box with the others. / {He} washed them and put them in the box.
Now {a} had {more} {things} in all. / {Many} and {some} make {more}, and {a} was proud of {more} {things}.
{a} showed all the {things} to {elder}. / "Soon I will need a bigger box," {a} told {elder}.
And {elder} counted them once more with {a}. / "You have a good eye," said {elder} to {a}.

## packed food
{a} and {b} went to the {place} with {many} {bakes}. / On {day} {a} and {b} took {many} {bakes} to the {place}.
They sat down in the grass {spot}. / They found a good spot to sit and sat down.

## ate together
{b} ate {some} {bakes}, and {a} told a joke. / {b} was hungry and ate {some} {bakes}.
Then {a} ate {few} of them. / After that {a} ate {few} {bakes}.
There were {last} {bakes} left for later. / Now they had {last} {bakes} left.
"This was a good day," said {b} to {a}. / {a} and {b} lay in the grass and watched the clouds.

## thief of a picnic
Then they fell asleep in the sun, and a {animal} came. / While {a} and {b} looked the other way, a {animal} came.
The {animal} ate {some} {bakes}, quick as the wind. / The {animal} ate {some} of them and ran off.
"Now there are {rest} {bakes} left," said {a}. / When they looked, there were {rest} {bakes} left.
{b} laughed, and {a} laughed too. / "I hope it liked them," said {b} to {a}.

## saved coins
{a} had saved {many} coins. / In a tin under the bed {a} had {many} coins.
Every week {he} counted them. / They were for something special.

## bought a thing
<when> {he} saw a {colour} {thing} at the {place}. / At the {place} {he} saw a {colour} {thing}.
"It costs {some} coins," said the {job}. / The {job} wanted {some} coins for the {thing}.
{a} paid {some} coins and took the {thing} home. / So {a} paid {some} coins to the {job}.
Now {he} had {rest} coins left and a {colour} {thing}. / After that {a} had {rest} coins left.
{He} played with the {thing} all evening. / And {a} was very happy with the {colour} {thing}.

## gave coins away
<when> {a} met {b}, who had no money for bread. / <when> {a} saw {b} in tears.
"I need {some} coins for bread," said {b}. / {b} needed {some} coins to get home.
So {a} gave {some} coins to {b}. / {a} took out {some} coins and gave them to {b}.
Now {a} had {rest} coins left. / There were {rest} coins left in the tin.
A week later {b} paid everything back to {a}. / "I will never forget it," said {b} to {a}.

## played for things
{a} had {many} {things}, and {b} wanted to play for them. / {a} came to the {place} with {many} {things} and met {b}.
They played a long game in the sand. / The game was long, and both were good at it.

## won some
{a} won {some} more. / In the end {a} won {some} more from {b}.
Now {a} had {more} {things}. / So {a} had {more} {things} in all.
"You can have them back tomorrow," said {a} to {b}. / "Tomorrow I will win them back," said {b} to {a}.

## lost some
{a} lost {some} {things} in the game. / In the end {a} lost {some} {things} to {b}.
Now {a} had {rest} {things} left. / So {a} had {rest} {things} left.
"It was a good game," said {a} to {b}. / {b} gave {a} a sweet to make up for it.

## shared work
{a} and {b} picked {fruits} at the {place} all [day|morning]. / <when> {a} and {b} went to the {place} to pick {fruits}.
{a} picked {many} {fruits}. / In {his} basket {a} had {many} {fruits}.
{b} picked {some} {fruits}. / In {bhis} basket {b} had {some} {fruits}.

## shared fruit
"Together we have {more} {fruits}," said {a}. / Together that made {more} {fruits}.
They made a big cake for {elder}. / They carried everything home to {elder}.
{elder} gave {a} the first slice and {b} the biggest. / "I have the best helpers," said {elder}, and hugged {a} and {b}.
"""
