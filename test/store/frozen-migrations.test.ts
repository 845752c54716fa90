import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresDdl, sqliteDdl } from '../../src/store/migrations/ddl.ts'
import { hashMigration, migrations } from '../../src/store/migrations/migrations.ts'

/** What landed. A new migration adds its line; a line that is here is never changed. */
const frozen: Record<number, { sqlite: string; postgres: string }> = {
  1: {
    sqlite: '923aa1a433184a732ddfc9a309ed8e35959bfad88858080daf3fe428ecc3db24',
    postgres: 'ee26b020e6af611029705508e91674155ec14db4ac2e046f3befd3d37dbfca8f',
  },
  2: {
    sqlite: '29e489244e92fb393acd5d57c2f3525b68b568e3113527e2153ab689063e33f9',
    postgres: '4af11a155a746fe7dc6d3215e49253fcf1de6d7105cb2f1ccfdc1feef9d80275',
  },
  3: {
    sqlite: '56eb9196b46de0c385a2dd9b5d0c35db98b8bb01b57a68da5ea9a9fc16e5037c',
    postgres: '16e9a83cc78e4043d40a2b74c17050972c5f01ce676ec5830c78244eefe32be2',
  },
  4: {
    sqlite: '0252caee5bc1cd401b21100a6e302e76a60fe58b3dda4a62414a5130eb2a305f',
    postgres: 'e71565f5c793828d426fafd1a03d2d037fdea52a07ef37072db549e724422d35',
  },
  5: {
    sqlite: '4ea103135cf6ff1e8d4968d7e4128db5130943dffb95c71ce0785d67c07e2218',
    postgres: '1eef5bf45cd0d9d3ac8cd864bfe4fa19b9cf3b4934bd430394e52c13df231d53',
  },
  6: {
    sqlite: 'cf991099965a1dbe94b8c78ae5a2be27d3a1c0d072cf2f907eae463d012dea8b',
    postgres: '1cb53b82c3ec7b2b2639d8715f464bbb626ce9d94f078cff7b9ddb59b9e50218',
  },
  7: {
    sqlite: '90b8adc5b5013f076bd0efd6c6b133b1a5cfc8d66f2387538772b90afeb911a4',
    postgres: '90b8adc5b5013f076bd0efd6c6b133b1a5cfc8d66f2387538772b90afeb911a4',
  },
  8: {
    sqlite: '080663f88ae38e2fb5cfff653ea9bdfcea577f1f8b7e1cf1c03aa43f01efe692',
    postgres: '17191b965418a410a52f1bef080e3b06a91662b4a0d13a56f32355674efac44f',
  },
  9: {
    sqlite: '6ce384c809448f6b851f5e77daeb5805f5a2ab8f05e213c6332d21b623ea72d7',
    postgres: 'a2f8e7ebdf745c31dbb9fc8d429143608dc6e1f325dbb87bf059b5a143e8a21c',
  },
  10: {
    sqlite: 'ea056b3788fa4ac5fca27f3283e3815b298b68b6644775465dbaa96607b552a2',
    postgres: 'ea056b3788fa4ac5fca27f3283e3815b298b68b6644775465dbaa96607b552a2',
  },
  11: {
    sqlite: 'a71e38c496f0907fcef4e013bd3fc73477218699998796fd1f61948016c804fa',
    postgres: 'deaaf31b3a389ff707ce55dad2cdc75adb16216190438376678604d4059c05da',
  },
  12: {
    sqlite: 'f90475ed5da046166df4d1137c323e2489f5c075e1a9ea05a06ac93c7fc727e3',
    postgres: 'be19810dba4447cafec3fb74110174d255f9e83e834757f754ad2d78d3420a51',
  },
  13: {
    sqlite: '2b1a11116c809e898a8c4a22975fbbabb3f6277ebd57f141d912bb624edfda94',
    postgres: '25f0e85fa149123484d73b80197998f94b65091191094ba190ca28ee65484584',
  },
  14: {
    sqlite: 'add133b5fe625272733e0bc7668919eba79e0448edb548e9f331eff950491477',
    postgres: '8636fb8b3e71a201e47f5b9bf4357cf1f6c9b09cb9717a3de34eea0f2009c039',
  },
  15: {
    sqlite: '4cbf93d18f09d0d9e8ea0ce76e84945b78dc73ae7e238f3bc3d3b3cc93441baf',
    postgres: '3db4fee22cb6197abf60e60af46afd4ae663daaf9536f4b20872203ef070222e',
  },
  16: {
    sqlite: 'b2c09ce03fa48e21e11d5cdd3bfcb90434bbf5fec995ed39f0f854490cf9b362',
    postgres: 'e02dba13695a97194d0e0579ab55135d0f9744eeadc73af146aa61908e81c5d3',
  },
  17: {
    sqlite: '7aa7241c22edd819eb6d8a6f293ce82005ce11c48c28e8a33d5f9aa838ac6040',
    postgres: 'c70c821d4491c89c3885f165964c6a4137eb99ca68ffb5f6483c6edfb020cddf',
  },
  18: {
    sqlite: '7f98a1ee9a2777248dfe653c6f08bbc2c74ce4d832e2e2c41b36a947cae67004',
    postgres: '7f98a1ee9a2777248dfe653c6f08bbc2c74ce4d832e2e2c41b36a947cae67004',
  },
  19: {
    sqlite: '954dcfa810ceaf58f6995ef3cfd60e55bac33b64eb9b1571d428ae78deb34d62',
    postgres: 'b8062c6f10e0ac89ccdfe75ccd004b96fad45319d5a3c6a347ef1064fe11fa9a',
  },
  20: {
    sqlite: '4f85f77c075ea89a4a3a3fcd050cff85016c70de3aa2567f39818e84d7ad1070',
    postgres: '6d7985d0ab4dd95a58b3c4f8b8499877e062447050bf4b7dad2819162e34bd37',
  },
  21: {
    sqlite: 'dc5086f3e7c83386ed83cf21f3eb1ea2f119d4c41167a979e27cf10dddc3921d',
    postgres: '2718d37705c62da4bfc652cb4946d2913dce5dc8c18e485402d65f7b17dc65c0',
  },
  22: {
    sqlite: '37e9687c4cee81dfbb4c8a57a92589658c2be3cf1f1d81bc475181f23b49fd69',
    postgres: '5da56024bf026ba27fccdd4ec41f05e3bce483b9543821c0b6e3986f3ff935be',
  },
  23: {
    sqlite: '1297b850c750f00f487c538a22c30828251572e5468c27228674f0ad28c0ca11',
    postgres: '70018d608f3eca6c242875078b75a9dc9bbd45f69b7e1e08caaf03ba4894e3f8',
  },
  24: {
    sqlite: '8b821a34fd97c7f4693d916c06a771c03ca04240238d6af505b0043822ee1113',
    postgres: '0c9f2feb5f22d31b9720038a5cf5bb71444a339295191b8db52860eaae259e27',
  },
  25: {
    sqlite: '3778edb3ffccd48794b198de8c56f1a5b810477368f1f9e3dda8d04e6aa31a2d',
    postgres: 'a4e9ec6ca12e8d99674bc43111e701975c6557d9e64556092767ba934e21b43c',
  },
  26: {
    sqlite: '6d9814374bb3fff1dba6fb54664eff0782c434a27e0f65c07b6a6c6f38b655bc',
    postgres: '30331e871bee739943bc2dd86582c17b96a5e85d93f711c80b2f6479b4b1586d',
  },
  27: {
    sqlite: '497130eb1b1cd96af8778a7c2fef173618035e3ce7077ff4207c2a2b492cdb08',
    postgres: '497130eb1b1cd96af8778a7c2fef173618035e3ce7077ff4207c2a2b492cdb08',
  },
  28: {
    sqlite: '0781a402feb90db76d82aaafb528a9207d0ab9153875431a694c2c8c70acea6e',
    postgres: '04cf5ae5ef8bb66d2147318fdd2d8e60b72153454ba630ad96d267afd4a1d472',
  },
  29: {
    sqlite: '9c227f7996f045c46076d1aa67a48cc3df147cd5a6da727103dce367e6b49085',
    postgres: '1d1eccd073a744cd5bba0a2896b96047ec6094367cb2c66688227f4fdca5454d',
  },
  30: {
    sqlite: '55a0ccf86df6f520567a6500129dc555e10d4912332a89e8d61cfe9b82db5601',
    postgres: '96e8d8d350f795ac2f7c6353e5bb89f8ca2e0f2eb819b12419826ede154a5ac6',
  },
  31: {
    sqlite: 'dc7083e9d22e0897ca50bd7d2b75e8454aca6cb9a6a48bbee761e8a4bfb99031',
    postgres: 'dc7083e9d22e0897ca50bd7d2b75e8454aca6cb9a6a48bbee761e8a4bfb99031',
  },
  32: {
    sqlite: 'fd270db41ddd21527345651ffd2ebf1365f6b56ceb76125b65ba38b4cfed8d72',
    postgres: 'fd270db41ddd21527345651ffd2ebf1365f6b56ceb76125b65ba38b4cfed8d72',
  },
  33: {
    sqlite: 'f6071645b4af55c4791d135b58ebf65c4f19b17bd9b08f4905120991b486c239',
    postgres: 'f6071645b4af55c4791d135b58ebf65c4f19b17bd9b08f4905120991b486c239',
  },
  34: {
    sqlite: 'bb6d30aad6851f8a2997d722759317e042f66dade3251e892198504c4dbe7996',
    postgres: 'cbd72f648b654f171d013e69a2e9524a4d63152d0607329d62a0c6d116ab5d39',
  },
  35: {
    sqlite: '6478958e5449a1a2510bd59183841f9dd5038f549a1594063f56ca9d91dc1e4d',
    postgres: '6478958e5449a1a2510bd59183841f9dd5038f549a1594063f56ca9d91dc1e4d',
  },
  36: {
    sqlite: '354e8929f4062a7d2a438473a7ec1a3ab355a73192f015a63307ef0d60827868',
    postgres: '4bfc54ae94ee87a7e37d2726498c72970be6c84a2bd8f54290d2c11cd0217561',
  },
  37: {
    sqlite: '1c8fa9a452240a180da4e57b29b9dbc3ced7d5bb8a43575c3409d0d9b71bba14',
    postgres: 'd7706b09c201158d5715aa23959640d9ecf94e9b87a0b806dd22c458835433e9',
  },
  38: {
    sqlite: '07325e878942eb69dcf12a536ac3622afa07f5689010a6b440abb351bd9cce58',
    postgres: '07325e878942eb69dcf12a536ac3622afa07f5689010a6b440abb351bd9cce58',
  },
  39: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: 'c244aa474e59fcca1aaf20c9abd97d349030d08f2c7721d10946bdd9e8828a47',
  },
  40: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: 'dcb994145d4abe555d009ae14b4e89aab3f787b15a25b6f793d329d1ce1a848b',
  },
  41: {
    sqlite: '5057c6aa6e0dda0644f6b1c13610b4b1589d5f3fb14d4b01137e57c38867b5a4',
    postgres: '5057c6aa6e0dda0644f6b1c13610b4b1589d5f3fb14d4b01137e57c38867b5a4',
  },
  42: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: '134f0bf3f8af11491053a36738e51800c5ec6e14796208cecef8dc6673cb1140',
  },
  43: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: '8af0a5ee7fc79d6ebad2fef29f5a68dd08e7440b29c0a79bfa8984024e46212b',
  },
  44: {
    sqlite: '04af63723b1a44e4f71ce6347bb766388d9022b83a3f95a6cc40e20f7c5ff815',
    postgres: 'b8d73cbf2918eb84c9666a02e18d3eb14c064146e3ad0c232293d2dbc5b58a11',
  },
  45: {
    sqlite: 'ca1c218a7e3a6a48d9ed88c3b459b6590ea1d925712c1ea61c283207bc604f6b',
    postgres: 'ca1c218a7e3a6a48d9ed88c3b459b6590ea1d925712c1ea61c283207bc604f6b',
  },
  46: {
    sqlite: 'b7bbe31ba3ff3a1bd2b302235973aea003af96be84e23b7458bb068fdedc73c6',
    postgres: 'b7bbe31ba3ff3a1bd2b302235973aea003af96be84e23b7458bb068fdedc73c6',
  },
  47: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: '9f244ef0c74c317d38eff7b75a54089f4267772fda6870555cd0b6d5320597fd',
  },
  48: {
    sqlite: '4b00a51a6e81b85ee44f66ab9ad20d2a011442b21eba06a579c333d4724a4cda',
    postgres: '4b00a51a6e81b85ee44f66ab9ad20d2a011442b21eba06a579c333d4724a4cda',
  },
  49: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: 'c8001aaa47ec470e9c54744ca3ebca5115d34de5dc05648b25c712bb317f9993',
  },
  50: {
    sqlite: 'ce9dc6548f961419d384e6a9d2ad019a3a534ae618957164bade6c9de3ba3505',
    postgres: 'ce9dc6548f961419d384e6a9d2ad019a3a534ae618957164bade6c9de3ba3505',
  },
  51: {
    sqlite: 'c9e03aec073bc72838c069d9209b8c4b770d166eac58921d193e8a4b672ee421',
    postgres: 'c9e03aec073bc72838c069d9209b8c4b770d166eac58921d193e8a4b672ee421',
  },
  52: {
    sqlite: '7092ad73abcebd7111d88088b5cab7c620358ae2e63f57aa58ef7a4033d018c9',
    postgres: '5b20202d1a65e0985b22e748a4ca08f6171437d6515c6598fe1e34354d51fffe',
  },
  53: {
    sqlite: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    postgres: '89bf6bba123a8ad692257f3d0761ecea9466733d9b81ecf25b8011f50d0e69ba',
  },
  54: {
    sqlite: '267f640f02b35b59ce94f32f90b72d222234f2f0d2c21c796c86f1c0e801eaf3',
    postgres: '267f640f02b35b59ce94f32f90b72d222234f2f0d2c21c796c86f1c0e801eaf3',
  },
  55: {
    sqlite: 'eaf76accd2911fb3f555eca72b78f9b3acb0ab42daa209c3c4acc351b34a7480',
    postgres: 'eaf76accd2911fb3f555eca72b78f9b3acb0ab42daa209c3c4acc351b34a7480',
  },
  56: {
    sqlite: '038b9b35f76f4409058c3b7349ae17da1c6bc57f523c9ee5b7ecea3a25ac0349',
    postgres: '0b320ee92b623202f2923eebc3c241beffbd3b4a8fc68c5b23bbba4ab8b6bf2f',
  },
  57: {
    sqlite: '46b436fc8f25890ff57ff473651cd2762a09d0265607268370ae6ae1e9b33ab6',
    postgres: '46b436fc8f25890ff57ff473651cd2762a09d0265607268370ae6ae1e9b33ab6',
  },
  58: {
    sqlite: '68ec3f01ac06769656e9b4bf4adc2b84e3a99080d1428ec7cc78b13594ab4fcb',
    postgres: '8dded0b0c530b51c37846ba86f60e7828a7d71bf236b833218b82d87ad8c58fe',
  },
  59: {
    sqlite: 'a1a08391b9cc2688294eb5839af65f2dd7fd040df48b3f29d7d2644c46f0a6d3',
    postgres: 'a1a08391b9cc2688294eb5839af65f2dd7fd040df48b3f29d7d2644c46f0a6d3',
  },
  60: {
    sqlite: '60d31edb8d849afa6d3ae7c219ce144cdd65b3f41e4d20cd4fea081471a3b331',
    postgres: '60d31edb8d849afa6d3ae7c219ce144cdd65b3f41e4d20cd4fea081471a3b331',
  },
  61: {
    sqlite: 'f05a0e42069117d1e674f0ffea41d67ec986baef24b093c15ca789646ce189b1',
    postgres: 'b03b275ea859f84985c732c503ed12f38c66808f43e8858e1370def5c80280e1',
  },
  62: {
    sqlite: 'cb47d85ab29f7dc5ec52dd1c96960c6fd1d3f2ae5ffe4bc5b129d4244a24136a',
    postgres: 'cb47d85ab29f7dc5ec52dd1c96960c6fd1d3f2ae5ffe4bc5b129d4244a24136a',
  },
  63: {
    sqlite: 'baea2eaebf10f5a569cb7718352e7421dd3e244963f23d3abeddf9f3ef9d3ba9',
    postgres: '13a549bb77adc57a86ee825238ef75750528754fbf49414118920aed9edb1ddb',
  },
  64: {
    sqlite: '2b7bbadea884788fc4b941df075a055f3797b1724613c702b56195e60ee77c15',
    postgres: '2b7bbadea884788fc4b941df075a055f3797b1724613c702b56195e60ee77c15',
  },
  65: {
    sqlite: 'd08eb36890a28d000bfbab3134b5b557847045993551d1650198649ebbb4ed65',
    postgres: 'f05eb5ef208330c5007cdd9579fb8b18a778bda2c853ee969175e651e653f94a',
  },
  66: {
    sqlite: '31573380a14d2f4a3d35fde8481f836967cd42f4642a2305e170a4133d156f12',
    postgres: '31573380a14d2f4a3d35fde8481f836967cd42f4642a2305e170a4133d156f12',
  },
  67: {
    sqlite: 'c8e60ac3fa8ed19735ffed7f2d9069e8c71f90b390bee21b0e55e67374e8ce10',
    postgres: 'c8e60ac3fa8ed19735ffed7f2d9069e8c71f90b390bee21b0e55e67374e8ce10',
  },
  68: {
    sqlite: '3823aa28de78f4189eceef5b4ef397228d6e2a149e5af0f1756897dd219fcb4a',
    postgres: '66570adfb63509937cbaca81cccdbbeb6a878a63087779caf3b0b54cf6143be2',
  },
  69: {
    sqlite: '10a1cb3f16fe5b0ce616bf890b669225ff33c7e4ed0ace8c001ba3194da75a70',
    postgres: '10a1cb3f16fe5b0ce616bf890b669225ff33c7e4ed0ace8c001ba3194da75a70',
  },
  70: {
    sqlite: '81dba12f994b3d369902cea145c8ae758240f41b1e353cdde9bfc97e4d6b1d0f',
    postgres: '81dba12f994b3d369902cea145c8ae758240f41b1e353cdde9bfc97e4d6b1d0f',
  },
  71: {
    sqlite: '3df2199f8b83cdd527c74f3a039d202054f543848503ad81c157ca55d1d6fd6d',
    postgres: 'e1868bd07ee2afdc326e3b3f607b48942d1e4db3f2c50c415a5dd237ee97f10a',
  },
  72: {
    sqlite: 'bc663689866f7c700e5cda7517578f5b4e7019e112c07b8ae9fbde95ce02fd37',
    postgres: '5d31f462677e42acfa46378faa55aacd000dd867d8f5e46814a32a1cbde7bcc5',
  },
  73: {
    sqlite: 'e96af5f886929535a57e251e2276927dacd65c8b4dbfe0520e5b5e1123f767f0',
    postgres: 'e96af5f886929535a57e251e2276927dacd65c8b4dbfe0520e5b5e1123f767f0',
  },
  74: {
    sqlite: '75a7cca6d948edd9627d68427c5e4fabab86a29dd81577c9ede9ab2fd5a12960',
    postgres: '25e1b85672b3708b715e2b5958f0c4215274efcc3eeefcd1e5cd54e9b7d4aeb9',
  },
  75: {
    sqlite: '46e193695c4faca215901cbfb7a227984c21384b0f8b962fa9cb62a521faa6fe',
    postgres: '46e193695c4faca215901cbfb7a227984c21384b0f8b962fa9cb62a521faa6fe',
  },
  76: {
    sqlite: '525d52a2991652cffa3a8e451080e82c441c57b1d6282cebc37b140ebb9cbaee',
    postgres: '525d52a2991652cffa3a8e451080e82c441c57b1d6282cebc37b140ebb9cbaee',
  },
  77: {
    sqlite: '553e72c545aa0ee58ea4c49b73ca7d9fe1612a56a6013d6f7cff1a8e27a7149c',
    postgres: '553e72c545aa0ee58ea4c49b73ca7d9fe1612a56a6013d6f7cff1a8e27a7149c',
  },
  78: {
    sqlite: '1b4e53080466db19c6b4d022c961879c7838f2b8663061e28cb03162bbe2111d',
    postgres: '1b4e53080466db19c6b4d022c961879c7838f2b8663061e28cb03162bbe2111d',
  },
  79: {
    sqlite: 'fe9a3a992d0be17b5a780a6de0ec62b01fb2b2e3debbeb5e84f0e9b851063066',
    postgres: 'c4b79f1efc7d603ea6458fdb8ccb16971e7478edb368d5e69b2b4289831d41c5',
  },
  80: {
    sqlite: '93f9648ef50af28a38643880c956b2ddb9bf7713fb6b1145a3f22eb7dad4480e',
    postgres: '93f9648ef50af28a38643880c956b2ddb9bf7713fb6b1145a3f22eb7dad4480e',
  },
  81: {
    sqlite: 'a3f6b31a673adaddc441a1fbdd39e1a57c7b6ac476bc8ec7a60b6d04e26f8e66',
    postgres: 'a3f6b31a673adaddc441a1fbdd39e1a57c7b6ac476bc8ec7a60b6d04e26f8e66',
  },
}

for (const migration of migrations) {
  test(`migration ${migration.number} (${migration.name}) is as it landed`, () => {
    const now = { sqlite: hashMigration(migration, sqliteDdl), postgres: hashMigration(migration, postgresDdl) }
    const landed = frozen[migration.number]
    assert.ok(landed, `Migration ${migration.number} is new: freeze it by adding ${JSON.stringify(now)} to this test.`)
    assert.deepEqual(
      now,
      landed,
      `Migration ${migration.number} was edited. Databases made with it would refuse to start: undo the edit and write a new migration.`,
    )
  })
}

test('migrations are numbered from 1 without a gap, and none that landed is gone', () => {
  const numbers = migrations.map(({ number }) => number)
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i + 1),
  )
  for (const number of Object.keys(frozen)) assert.ok(numbers.includes(Number(number)), `Migration ${number} is gone.`)
})
