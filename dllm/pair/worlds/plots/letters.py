"""What {a} writes to {elder} of."""

TEXT = """
= thanks: thanks for a present + come soon
= news: found an animal + visit me
= harvest: picked fruit + gave some away|lost some on the way + waiting for you
= invitation: a feast + what to bring
= sorry: broke it + make it good
= home: away from home + back soon
= learned: learned something + show you
= snow: snow at last + with a friend
= sick: was ill + well again
= garden: planted it + it grew

## thanks for a present
Thank you for the {colour} {thing}! / Your present came on {day}, a {colour} {thing}! / How did you know that I wanted a {colour} {thing}?
It is just what I wanted[ all year|]. / I jumped for joy when I opened it. / I did not let go of it all day.
I took the {thing} to the {place} at once. / Now I take the {thing} everywhere, even to the {place}.
? Everyone asked to hold it, and I let {b} try; {b} wants one too. / {b} wants one too, but I told {b} there is only one like it.

## come soon
Please come and see us soon. / I am making something for you too, but it is a secret. / I miss you very much.

## found an animal
You will not believe what I saw on {day}. / I have big news for you. / Something lovely has happened.
There is a {animal} at the {place}, {spot}. / At the {place}, {spot}, I found a {animal}.
It is so small that it fits in my hands. / At first the {animal} was afraid of me. / I call it Pip.
Every day I bring the {animal} something to eat. / Now the {animal} comes when I call. / I gave it some bread.

## visit me
When you visit, I will show it to you. / Do not tell anyone, for it is our secret. / I wish you could see the {animal}.

## picked fruit
I picked {many} {fruits} at the {place}. / On {day} I picked {many} {fruits} at the {place}.
? They are very sweet this year. / The sun was hot, and I wore my big boots.

## gave some away
I gave {some} {fruits} to {b}, because {b} is ill. / Then I gave {some} of them to {b}, for {b} loves them.
So I have {rest} {fruits} left. / Now there are {rest} {fruits} left.

## lost some on the way
On the way home I lost {some} {fruits}. / There was a hole in my bag, and I lost {some} of them.
So I have {rest} {fruits} left. / At home there were {rest} {fruits} left.

## waiting for you
I will bake something with them when you come. / They are waiting for you. / Come soon, or I will eat them all!

## a feast
On {day} we will have a little feast at the {place}. / Will you come to the {place} on {day}?
It begins at {hour} o'clock. / Come at {hour} o'clock, and do not be late.
There will be {fruits} and music. / We will eat {fruits} and sing until dark.

## what to bring
Please bring your {colour} {thing}. / Can you bring the {colour} {thing} again?
I am counting the days until {day}. / It would not be a feast without you.

## broke it
I have to tell you that I broke your {colour} {thing}. / I am writing because I am sorry, for I lost your {colour} {thing}.
I took the {thing} to the {place} without asking. / I only wanted to show the {thing} to someone at the {place}.
I looked everywhere, and I could not sleep. / I know how much you loved it. / It was my fault, and only mine.

## make it good
On {day} I will bring you something of mine. / I am saving my coins for a new {thing}.
I hope you are not too angry. / Can we still be friends? / Next time I will ask first.

## away from home
I have been in {town} for a week now. / It is lovely here in {town}. / We are staying in {town}, near the {place}.
Every morning I walk to the {place}. / Yesterday we went to the {place} with a {job}.
The people in {town} are kind, most of all the {job}. / We met a {job}, and the {job} told us stories.
I bought a {colour} {thing} for you. / In a shop I found a {colour} {thing}, and it is for you.

## back soon
On {day} I will be home again. / I will give you the {thing} on {day}.
Please water my flowers until then, and think of me. / I miss you and our kitchen.

## learned something
Guess what, I can {skill}! / Now I can {skill}, and you will not believe it.
{b} showed me how, and {b} was very patient. / I learned it from {b}, for {b} can do everything.
At first I fell down all the time. / I tried it every day at the {place}. / It was hard, but I did not give up.

## show you
When you come, I will show you. / On {day} we can {skill} together. / You must learn to {skill} too!

## snow at last
It snowed on {day}, and everything is white. / We have snow at last! / The whole {place} is under the snow.

## with a friend
{b} and I built a snowman at the {place}, and {b} gave it a name. / I called {b}, and {b} came with red hands.
We put a {colour} {thing} beside the snowman. / Our snowman has a {colour} {thing}.
Today the sun is out, and I hope that it does not melt. / I will draw a picture of it for you.

## was ill
I was ill and had to stay in bed. / All week I had a cold. / I could not write, because I was ill.
{b} came every day, and {b} read to me. / Only {b} came to see me, and {b} told me jokes.
I ate {many} {fruits} in one day. / {b} brought me a {colour} {thing}.

## well again
Now I am well again and can go to the {place}. / On {day} I may go out again.
Please write to me soon. / Do not worry about me. / I hope that you are well too.

## planted it
In spring I planted a {plant}. / Do you remember the {plant} seed that you gave me?
I gave it water every day. / For weeks there was nothing to see. / {b} said it would never grow, but {b} was wrong.

## it grew
Now the {plant} is as tall as I am! / On {day} I saw the first green leaf. / The {plant} has grown up to my window.
Come and see it before autumn. / I will keep a seed of the {plant} for you. / It is waiting for you, and so am I.
"""
