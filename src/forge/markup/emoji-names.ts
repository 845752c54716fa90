/** The names of emoji in common use, as the public platform spells them: a name and its sign in turn. */
export const emoji: ReadonlyMap<string, string> = readNames(`
  +1 👍 thumbsup 👍 -1 👎 thumbsdown 👎 smile 😄 smiley 😃 grinning 😀 grin 😁 laughing 😆 satisfied 😆 sweat_smile 😅 joy 😂 rofl 🤣 slightly_smiling_face 🙂
  upside_down_face 🙃 wink 😉 blush 😊 innocent 😇 heart_eyes 😍 star_struck 🤩 kissing_heart 😘 kissing 😗 yum 😋 stuck_out_tongue 😛
  stuck_out_tongue_winking_eye 😜 zany_face 🤪 hugs 🤗 thinking 🤔 zipper_mouth_face 🤐 raised_eyebrow 🤨 neutral_face 😐 expressionless 😑 no_mouth 😶
  smirk 😏 unamused 😒 roll_eyes 🙄 grimacing 😬 lying_face 🤥 relieved 😌 pensive 😔 sleepy 😪 sleeping 😴 mask 😷 dizzy_face 😵 exploding_head 🤯
  partying_face 🥳 sunglasses 😎 nerd_face 🤓 monocle_face 🧐 confused 😕 worried 😟 slightly_frowning_face 🙁 open_mouth 😮 hushed 😯 astonished 😲 flushed 😳
  pleading_face 🥺 fearful 😨 cold_sweat 😰 cry 😢 sob 😭 scream 😱 confounded 😖 disappointed 😞 sweat 😓 weary 😩 tired_face 😫 yawning_face 🥱 triumph 😤
  rage 😡 angry 😠 smiling_imp 😈 imp 👿 skull 💀 poop 💩 hankey 💩 clown_face 🤡 ghost 👻 alien 👽 robot 🤖 smiley_cat 😺 see_no_evil 🙈 hear_no_evil 🙉
  speak_no_evil 🙊
  heart ❤️ orange_heart 🧡 yellow_heart 💛 green_heart 💚 blue_heart 💙 purple_heart 💜 black_heart 🖤 white_heart 🤍 brown_heart 🤎 broken_heart 💔
  sparkling_heart 💖 two_hearts 💕 100 💯 anger 💢 boom 💥 collision 💥 dizzy 💫 sweat_drops 💦 dash 💨 bomb 💣 speech_balloon 💬 thought_balloon 💭 zzz 💤
  wave 👋 raised_hand ✋ hand ✋ vulcan_salute 🖖 ok_hand 👌 pinching_hand 🤏 v ✌️ crossed_fingers 🤞 metal 🤘 call_me_hand 🤙 point_left 👈 point_right 👉
  point_up_2 👆 point_down 👇 point_up ☝️ fist ✊ facepunch 👊 punch 👊 clap 👏 raised_hands 🙌 open_hands 👐 handshake 🤝 pray 🙏 writing_hand ✍️ muscle 💪
  eyes 👀 eye 👁️ brain 🧠 ear 👂 nose 👃 tongue 👅 baby 👶 boy 👦 girl 👧 man 👨 woman 👩 shrug 🤷 facepalm 🤦 bow 🙇 raising_hand 🙋 no_good 🙅 ok_woman 🙆 runner 🏃
  running 🏃 walking 🚶 dancer 💃 ninja 🥷 detective 🕵️ construction_worker 👷 technologist 🧑‍💻 man_technologist 👨‍💻 woman_technologist 👩‍💻 family 👪
  busts_in_silhouette 👥 bust_in_silhouette 👤
  dog 🐶 cat 🐱 mouse 🐭 hamster 🐹 rabbit 🐰 fox_face 🦊 bear 🐻 panda_face 🐼 koala 🐨 tiger 🐯 lion 🦁 cow 🐮 pig 🐷 frog 🐸 monkey 🐒 monkey_face 🐵 chicken 🐔
  penguin 🐧 bird 🐦 eagle 🦅 duck 🦆 owl 🦉 wolf 🐺 horse 🐴 unicorn 🦄 bee 🐝 bug 🐛 butterfly 🦋 snail 🐌 ant 🐜 beetle 🪲 spider 🕷️ turtle 🐢 snake 🐍 dragon 🐉
  octopus 🐙 crab 🦀 shrimp 🦐 fish 🐟 dolphin 🐬 whale 🐳 shark 🦈 elephant 🐘 camel 🐫 sheep 🐑 goat 🐐 llama 🦙 sloth 🦥 otter 🦦 beaver 🦫 gorilla 🦍 dodo 🦤
  t-rex 🦖 feet 🐾
  bouquet 💐 cherry_blossom 🌸 rose 🌹 sunflower 🌻 tulip 🌷 seedling 🌱 evergreen_tree 🌲 deciduous_tree 🌳 palm_tree 🌴 cactus 🌵 herb 🌿 shamrock ☘️
  four_leaf_clover 🍀 maple_leaf 🍁 fallen_leaf 🍂 leaves 🍃 mushroom 🍄 earth_africa 🌍 earth_americas 🌎 earth_asia 🌏 globe_with_meridians 🌐 full_moon 🌕
  new_moon 🌑 crescent_moon 🌙 sunny ☀️ star ⭐ star2 🌟 stars 🌠 sparkles ✨ cloud ☁️ partly_sunny ⛅ rainbow 🌈 umbrella ☔ zap ⚡ snowflake ❄️ snowman ⛄
  fire 🔥 droplet 💧 ocean 🌊 christmas_tree 🎄
  apple 🍎 green_apple 🍏 pear 🍐 lemon 🍋 banana 🍌 watermelon 🍉 grapes 🍇 strawberry 🍓 cherries 🍒 peach 🍑 pineapple 🍍 tomato 🍅 avocado 🥑 carrot 🥕 corn 🌽
  hot_pepper 🌶️ bread 🍞 cheese 🧀 egg 🥚 bacon 🥓 hamburger 🍔 fries 🍟 pizza 🍕 hotdog 🌭 taco 🌮 ramen 🍜 spaghetti 🍝 sushi 🍣 rice 🍚 icecream 🍦 doughnut 🍩
  cookie 🍪 birthday 🎂 cake 🍰 chocolate_bar 🍫 candy 🍬 popcorn 🍿 coffee ☕ tea 🍵 beer 🍺 beers 🍻 clinking_glasses 🥂 wine_glass 🍷 champagne 🍾 cocktail 🍸
  fork_and_knife 🍴 salt 🧂
  soccer ⚽ basketball 🏀 football 🏈 baseball ⚾ tennis 🎾 volleyball 🏐 trophy 🏆 medal_sports 🏅 1st_place_medal 🥇 2nd_place_medal 🥈 3rd_place_medal 🥉
  dart 🎯 game_die 🎲 video_game 🎮 jigsaw 🧩 chess_pawn ♟️ art 🎨 performing_arts 🎭 musical_note 🎵 notes 🎶 microphone 🎤 headphones 🎧 guitar 🎸 drum 🥁
  clapper 🎬 ticket 🎫 tada 🎉 confetti_ball 🎊 balloon 🎈 gift 🎁 ribbon 🎀 jack_o_lantern 🎃 fireworks 🎆
  rocket 🚀 airplane ✈️ helicopter 🚁 car 🚗 red_car 🚗 taxi 🚕 bus 🚌 police_car 🚓 ambulance 🚑 fire_engine 🚒 truck 🚚 tractor 🚜 bike 🚲 motorcycle 🏍️
  train 🚆 metro 🚇 station 🚉 ship 🚢 boat ⛵ sailboat ⛵ anchor ⚓ construction 🚧 traffic_light 🚥 vertical_traffic_light 🚦 fuelpump ⛽ house 🏠 office 🏢
  school 🏫 hospital 🏥 bank 🏦 factory 🏭 castle 🏰 tent ⛺ mountain ⛰️ volcano 🌋 desert_island 🏝️ world_map 🗺️ compass 🧭 satellite 📡 flying_saucer 🛸
  rotating_light 🚨
  watch ⌚ iphone 📱 computer 💻 desktop_computer 🖥️ keyboard ⌨️ printer 🖨️ computer_mouse 🖱️ minidisc 💽 floppy_disk 💾 cd 💿 dvd 📀 camera 📷
  movie_camera 🎥 tv 📺 radio 📻 phone ☎️ telephone ☎️ battery 🔋 electric_plug 🔌 bulb 💡 flashlight 🔦 candle 🕯️ hourglass ⌛ hourglass_flowing_sand ⏳
  alarm_clock ⏰ stopwatch ⏱️ moneybag 💰 dollar 💵 euro 💶 credit_card 💳 gem 💎 balance_scale ⚖️ wrench 🔧 hammer 🔨 hammer_and_wrench 🛠️ nut_and_bolt 🔩
  gear ⚙️ chains ⛓️ toolbox 🧰 magnet 🧲 test_tube 🧪 microscope 🔬 telescope 🔭 syringe 💉 pill 💊 adhesive_bandage 🩹 door 🚪 broom 🧹 toilet 🚽
  wastebasket 🗑️ key 🔑 old_key 🗝️ lock 🔒 unlock 🔓 closed_lock_with_key 🔐 shield 🛡️ label 🏷️ bookmark 🔖 envelope ✉️ email 📧 incoming_envelope 📨
  inbox_tray 📥 outbox_tray 📤 package 📦 mailbox 📫 pencil2 ✏️ memo 📝 pencil 📝 black_nib ✒️ paintbrush 🖌️ crayon 🖍️ briefcase 💼 file_folder 📁
  open_file_folder 📂 card_index_dividers 🗂️ date 📅 calendar 📆 chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊 clipboard 📋
  pushpin 📌 round_pushpin 📍 paperclip 📎 link 🔗 straight_ruler 📏 triangular_ruler 📐 scissors ✂️ books 📚 book 📖 open_book 📖 notebook 📓 page_facing_up 📄
  page_with_curl 📃 scroll 📜 newspaper 📰 mag 🔍 mag_right 🔎 mortar_board 🎓 crown 👑 tophat 🎩 eyeglasses 👓 dark_sunglasses 🕶️ necktie 👔 shirt 👕 jeans 👖
  dress 👗 shoe 👞 athletic_shoe 👟 crystal_ball 🔮 thread 🧵 bell 🔔 no_bell 🔕 loudspeaker 📢 mega 📣 mute 🔇 speaker 🔈 sound 🔉 loud_sound 🔊
  white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ x ❌ negative_squared_cross_mark ❎ o ⭕ heavy_plus_sign ➕ heavy_minus_sign ➖
  heavy_division_sign ➗ heavy_multiplication_x ✖️ question ❓ grey_question ❔ exclamation ❗ heavy_exclamation_mark ❗ grey_exclamation ❕ bangbang ‼️
  interrobang ⁉️ warning ⚠️ no_entry ⛔ no_entry_sign 🚫 stop_sign 🛑 recycle ♻️ information_source ℹ️ arrow_up ⬆️ arrow_down ⬇️ arrow_left ⬅️
  arrow_right ➡️ arrow_upper_right ↗️ arrow_lower_right ↘️ arrow_lower_left ↙️ arrow_upper_left ↖️ arrow_up_down ↕️ left_right_arrow ↔️
  leftwards_arrow_with_hook ↩️ arrow_right_hook ↪️ arrows_counterclockwise 🔄 arrows_clockwise 🔃 repeat 🔁 twisted_rightwards_arrows 🔀 arrow_forward ▶️
  arrow_backward ◀️ fast_forward ⏩ rewind ⏪ pause_button ⏸️ stop_button ⏹️ infinity ♾️ copyright ©️ registered ®️ tm ™️ hash #️⃣ zero 0️⃣ one 1️⃣
  two 2️⃣ three 3️⃣ four 4️⃣ five 5️⃣ six 6️⃣ seven 7️⃣ eight 8️⃣ nine 9️⃣ keycap_ten 🔟 new 🆕 ok 🆗 up 🆙 cool 🆒 free 🆓 sos 🆘 red_circle 🔴
  orange_circle 🟠 yellow_circle 🟡 green_circle 🟢 large_blue_circle 🔵 purple_circle 🟣 brown_circle 🟤 black_circle ⚫ white_circle ⚪ red_square 🟥
  orange_square 🟧 yellow_square 🟨 green_square 🟩 blue_square 🟦 purple_square 🟪 black_large_square ⬛ white_large_square ⬜ small_red_triangle 🔺
  small_red_triangle_down 🔻 checkered_flag 🏁 triangular_flag_on_post 🚩 white_flag 🏳️ black_flag 🏴 rainbow_flag 🏳️‍🌈 pirate_flag 🏴‍☠️
`)

function readNames(text: string): ReadonlyMap<string, string> {
  const words = text.trim().split(/\s+/)
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!] as const] : [])))
}
