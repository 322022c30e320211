"""What two people talk of: odd lines are said by {a}, even ones by {b}."""

TEXT = """
= lost: lost it + found together|found at home
= plan: a day together + what to bring|no time
= borrow: may I borrow + until a day|not today
= animal: look there + wait quietly|feed it
= weather: rain is coming + stay inside|go anyway
= shop: at the market + paid|too dear
= secret: guess what + promised
= gift: a birthday + made by hand|found at the shop
= learn: cannot do it + shown how
= race: who is faster + ran
= ill: in bed + will bring
= map: found a map + go and dig

## lost it
[|Hello, {b}! |{b}, please help me. ]Have you seen my {colour} {thing}[ anywhere| today|]? / I cannot find my {colour} {thing} anywhere! / [Oh no! |Help! |]My [good|dear|] {colour} {thing} is gone[ again|]. / {b}, I have lost my {colour} {thing}.
When did you have it last? / Where did you play with it? / Oh no! Where were you today?
I was at the {place} this morning. / At the {place}, I think. / I took it to the {place}[ on {day}|].

## found together
[Did you look|Have you looked] {spot}? / Then let us look {spot}. / Maybe it fell down {spot}.
No, not yet. Will you come with me? / Good idea. Come with me! / I did not think of that.
[Of course|Yes]. Look, there is something {colour}! / Yes. Look, there it is, {spot}! / [I will|Gladly]. Wait, here is your {thing}!
You found it! Thank you, {b}. / My {thing}! You are the best[, {b}|]. / Hurray! What would I do without you?

## found at home
And what did you do [after that|then]? / Did you look at home?
I went home and [slept|had supper]. / No, I did not look at home.
Then go home and look {spot}. / I saw something {colour} {spot}.
You are right, there it was! Thank you, {b}. / It was there the whole time. [How silly|Thank you]!

## a day together
[Hello, {b}! |]Shall we go to the {place} on {day}[ morning| evening|]? / What are you doing on {day}? / Are you free on {day}, {b}?
On {day} I have time. When shall we meet? / I have no plans for {day}. Why do you ask, {a}? / Yes, on {day} I am free.
Let us meet at the {place} at {hour} o'clock. / Then come to the {place} at {hour} o'clock.

## what to bring
At {hour} o'clock, then. What shall I bring? / All right, {hour} o'clock. Shall I bring something?
Bring some {fruits}. I will bring my {colour} {thing}. / Some {fruits} would be nice. I have a {colour} {thing} for us.
I will not forget the {fruits}. / And what if it rains? / Then we can play with the {thing}!
See you on {day}, {b}! / We will have fun, you will see. Until {day}!

## no time
At {hour} o'clock I have to help {elder}. / {hour} o'clock is too early. I must help {elder} first.
Then I will help too, and we are done sooner. / I can wait for you[, {b}|].
You are a good friend, {a}. / Thank you! {elder} will be glad.
So, until {day}! / Good. On {day}, then[, {b}|].

## may I borrow
[Good morning, {b}! |Hello, {b}! |]May I borrow your {colour} {thing}[, please|]? / Could you lend me your {colour} {thing}? / {b}, may I have your {colour} {thing} for a while?
What do you need it for? / Maybe. What are you going to do with it? / You may, if you are careful.
I want to show it to {elder}. / I need it at the {place} on {day}. / I want to draw a picture of it.

## until a day
All right. But bring it back on {day}. / Then take the {thing}. I need it again on {day}.
I promise. On {day} you will have your {thing} back. / On {day}, I promise!
Good. I trust you, {a}. / Then here it is. Have fun! / Here you are. Be good to it.
Thank you, {b}! / I will take good care of it.

## not today
I am sorry, it is broken. / Not today, for I need the {thing} myself.
That is a pity. When can I have it? / Then I will ask again on {day}.
On {day} you can have it. / Come on {day}, and it is yours until evening.
Thank you, {b}. I will come on {day}. / On {day}, then!

## look there
Look, {b}! There is a {animal} {spot}. / Quiet! I can see a {animal} {spot}.
Is the {animal} hurt? / It looks hungry. / Oh, how small the {animal} is!
No, I think it is only tired. / Maybe it has lost its mother. / I think it is just afraid of us.

## wait quietly
Let us sit down and wait. / Shall we stay a while?
Yes, but do not move. / If we are quiet, it may come out.
It is coming! The {animal} is coming! / Look, it is looking at us.
It is not afraid any more. / I will never forget this.

## feed it
I have some bread in my bag. / Shall we give the {animal} some water?
Good. Put it down, and do not move. / Yes, but slowly.
It is eating, right out of my hand! / Look, it likes it.
Shall we come back tomorrow, {b}? / Good night, little {animal}.

## rain is coming
Look at the sky, {b}. It will rain. / Do you hear the thunder? / It is so windy today!
I wanted to go to the {place}. / And we were going to the {place}! / Then we cannot go to the {place}.

## stay inside
We can stay here and play with my {thing}. / Come in. I have a {colour} {thing} to show you.
Is that the {colour} {thing} you told me about? / Is it the {colour} one? / Your {thing}? I would love to!
Yes, and {elder} is making tea. / That is the one. And there are {fruits} too. / Yes, it is {colour}. Wait and see.
Then I hope it rains all day. / Rain is not so bad after all. / You are right. The {place} can wait.

## go anyway
A bit of rain is nothing. Let us go to the {place}! / I am not made of sugar. Come on!
Then I will take my {colour} coat. / Wait, I must find my {colour} coat first.
Good. And I will take my old boots. / Hurry, the rain will not wait!
Ready! Who is first at the {place}? / Here I am. To the {place}!

## at the market
Good morning! I would like some {fruits}. / Hello, {b}! Do you have {fruits}? / Are your {fruits} sweet?
Sweet as honey. One {fruit} is {price} coins. / They are fresh today. One {fruit} is {price} coins. / Good morning, {a}! One {fruit} is {price} coins.

## paid
Then give me {count} {fruits}, please. / {Count} {fruits}, please. / I will take {count} {fruits}.
{Count} {fruits} make {total} coins. / Here you are: {count} {fruits}, {total} coins.
Here are {total} coins. / {Total} coins, here they are. / Take these {total} coins, please.
Thank you, {a}. Come again! / Thank you! Say hello to {elder}. / Have a lovely {day}!

## too dear
I need {count} {fruits}. How much is that? / And what do {count} {fruits} cost?
{Count} {fruits} are {total} coins. / That makes {total} coins for {count} {fruits}.
I only have a few coins with me. / Oh, that is more than I have.
Then pay me on {day}, {a}. / Take them, and bring the {total} coins on {day}.
You are very kind, {b}. / Thank you! I will come on {day}.

## guess what
Can you keep a secret? / I have seen something at the {place}. / {b}, I must tell you something.
You can trust me. What is it? / Tell me, {a}! / What is it? Tell me!
There is a {animal} at the {place}, {spot}. / I found a {animal} {spot}.
A {animal}? Are you sure? / Really? What does it look like?

## promised
Yes, it is small and {colour}. / It is {colour} all over. Come and see!
I will not tell anyone. / When can I see the {animal}?
On {day}, if you are very quiet. / Come with me on {day}.
I will be as quiet as snow. / On {day}! I cannot wait.

## a birthday
{elder} has a birthday on {day}. / On {day} is the birthday of {elder}.
Already on {day}? What shall we give {elder}? / Do we have a present for {elder}?
I thought of a {thing}. / Maybe a {colour} {thing}?

## made by hand
We can make a {thing} ourselves. / I have wood and {colour} paint.
Good idea, {b}. Let us begin at once. / Then I will get the glue.
And nobody must see it before {day}. / I will hide it {spot}.
{elder} will be so surprised! / That will be the best present of all.

## found at the shop
I saw a {colour} {thing} at the {place}. / At the {place} they have a {colour} {thing}.
What does it cost, {b}? / How many coins do we need?
{Many} coins. I have {many} coins. / Only {many} coins.
Then let us go to the {place} before it is gone. / Quick, let us buy the {thing}!

## cannot do it
I will never learn to {skill}. / Can you {skill}, {b}? / Everyone can {skill} but me.
I can {skill}. Shall I show you? / It is not so hard to {skill}. / When I was small, I could not {skill} either.
I am afraid that I will fall. / Everyone will laugh at me. / Is it very hard?

## shown how
I will hold you, {a}. / Nobody will laugh. We go to the {place} alone.
All right. When do we begin? / Then let us try it on {day}.
On {day}, at the {place}. / We begin at {hour} o'clock.
Thank you, {b}. / One day I will {skill} better than you!

## who is faster
I am faster than you, {b}. / Shall we race to the {place}? / I bet I am first at the {place}.
We will see! From here to the {place}? / You have never won yet, {a}. / To the {place}? I am ready.
Whoever wins gets my {colour} {thing}. / And what does the winner get?

## ran
A {colour} {thing} is a good prize. / Then the winner gets a {colour} {thing}.
Ready, steady, go! / On your marks, get set, go!
First! But you were close, {a}. / We were there at the same time!
Again tomorrow, {b}? / Next time I will win. / That was fun!

## in bed
Where were you on {day}, {b}? / I did not see you at the {place} on {day}.
I am ill and must stay in bed. / I have a cold. / {elder} says I must stay in bed.
You poor thing! Do you need something? / Oh no! What can I bring you?

## will bring
Some {fruits} would be nice. / I am so bored. Can you bring your {colour} {thing}?
I will be there at {hour} o'clock. / I will come at once.
Thank you, {a}. You are a true friend. / Then I feel better already.
Get well soon, {b}! / Sleep well until then.

## found a map
Look what I found {spot}! / {b}, I have found an old map!
An old map? What does it show? / Is that a map of the {place}?
Yes, and there is a cross near the {place}. / It shows the {place}, and a small cross.
Do you think there is a treasure? / Then something must be hidden there.

## go and dig
Maybe a {colour} {thing}. Let us dig! / We will know when we dig. Come with me!
I will fetch a spade. / Wait, I will take my {tint} bag with me.
Good. We meet at {hour} o'clock. / And do not tell {elder}!
Not a word. / My lips are closed. / I will be there!
"""
